import type { Command } from 'commander';
import { secretTable, shardSecretTable } from '@holdfast/platform-policy';
import { addCommand, collect, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { show } from '../output.js';
import { createCertificates, type WantedCertificate } from '../secrets/certificates.js';
import { createInFolder } from '../secrets/folder.js';
import { clusterStore } from '../secrets/kubernetes-api.js';
import { createInSecret } from '../secrets/kubernetes-secret.js';

interface Target {
  folder?: string;
  kubernetesSecret?: string;
  shard?: boolean;
}

interface CertificateOptions {
  kubernetesPrefix: string;
  certificate?: string[];
  lifetimeDays: number;
}

export function deploymentSecretCommands(program: Command): void {
  const secrets = program.command('secrets').description('the keys, passwords and seeds of a deployment');

  addCommand(
    secrets,
    'create',
    'create the missing secrets; existing ones never change, so it may be repeated, and run several times at once',
    [
      'secrets create --folder /etc/holdfast/secrets',
      'secrets create --kubernetes-secret holdfast',
      'secrets create --kubernetes-secret holdfast-eu2 --shard',
    ],
  )
    .option('--folder <path>', 'one file per secret, mode 0600')
    .option('--kubernetes-secret <name>', "a Secret in the pod's own namespace, with the rights of its service account")
    .option('--shard', 'only what a further shard has for itself: database passwords and NKeys of its services')
    .action(async ({ json, ...target }: Json & Target) => {
      const created = await createSecrets(target);
      show({ created }, json, () =>
        created.length === 0 ? 'All secrets exist already.' : `Created: ${created.join(', ')}`,
      );
    });
  certificateCommand(secrets);
}

function certificateCommand(secrets: Command): void {
  addCommand(
    secrets,
    'certificates',
    'create a CA once, and certificates for TLS inside, as Secrets `<prefix>-ca` and `<prefix>-<component>-tls`; ' +
      'renews a certificate of which less than a third of the lifetime is left',
    ['secrets certificates --kubernetes-prefix holdfast --certificate nats=holdfast-nats,localhost'],
  )
    .requiredOption('--kubernetes-prefix <prefix>', "of the Secrets, in the pod's own namespace")
    .option('--certificate <component=names>', 'a component and its names, comma separated; may be repeated', collect)
    .option('--lifetime-days <days>', 'of a certificate', Number, 825)
    .action(async ({ json, kubernetesPrefix, certificate = [], lifetimeDays }: Json & CertificateOptions) => {
      const store = await clusterStore('secrets');
      const changed = await createCertificates(store, kubernetesPrefix, certificate.map(wanted), lifetimeDays);
      show({ changed }, json, () =>
        changed.length === 0 ? 'All certificates are valid for long enough.' : `Created: ${changed.join(', ')}`,
      );
    });
}

function wanted(text: string): WantedCertificate {
  const [, component, names] = /^([a-z][a-z0-9-]*)=([\w.*,-]+)$/.exec(text) ?? [];
  if (component === undefined || names === undefined)
    throw new CommandError(`"${text}" is no certificate. Write it as nats=holdfast-nats,localhost.`, 2);
  return { component, names: names.split(',') };
}

async function createSecrets({ folder, kubernetesSecret, shard = false }: Target): Promise<string[]> {
  if ((folder === undefined) === (kubernetesSecret === undefined))
    throw new CommandError('Name one target: --folder <path> or --kubernetes-secret <name>.', 2);
  const entries = shard ? shardSecretTable : secretTable;
  return folder === undefined
    ? createInSecret(await clusterStore('secrets'), kubernetesSecret!, entries)
    : createInFolder(folder, entries);
}
