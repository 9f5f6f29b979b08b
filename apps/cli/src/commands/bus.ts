import { InvalidArgumentError, Option, type Command } from 'commander';
import { entryStreamDefaults, natsUsers, type BusUser } from '@holdfast/contracts';
import { declareStreams, hasTooFewServers } from '@holdfast/messaging/client';
import {
  auditReaders,
  layoutOf,
  natsUsersConfig,
  nkeySeedName,
  previousName,
  publicKeys,
  shardSecretTable,
  type NatsLayout,
  type Secrets,
} from '@holdfast/platform-policy';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { withBus } from '../operator-session.js';
import { show } from '../output.js';
import { secretsIn } from '../secrets/folder.js';
import { changeData, clusterStore } from '../secrets/kubernetes-api.js';
import { readSecret } from '../secrets/kubernetes-secret.js';
import { createRoutes } from '../secrets/nats-routes.js';

/** A deployment may run this command before nats-server is ready. */
const connectTimeoutMs = 60_000;

export function busCommands(program: Command): void {
  const bus = program.command('bus').description('the message bus (NATS)');

  addCommand(bus, 'declare', 'declare streams and consumers, as the NATS user `deploy`; may be repeated', [
    'bus declare',
    'bus declare --replicas 3',
  ])
    .option('--replicas <count>', 'number of NATS servers that store each stream', Number, 1)
    .option('--audit-days <days>', 'how long AUDIT holds entries for readers', positive, entryStreamDefaults.maxDays)
    .option('--audit-bytes <bytes>', 'how much AUDIT holds at most', positive, entryStreamDefaults.maxBytes)
    .action(({ replicas, auditDays, auditBytes, json }: DeclareOptions) =>
      withBus(
        'deploy',
        async ({ connection }) => {
          const declared = await declareStreams(connection, replicas, {
            maxDays: auditDays,
            maxBytes: auditBytes,
          }).catch((error: unknown) => {
            const remedy = hasTooFewServers(error)
              ? `Fewer than ${replicas} servers are members of JetStream's group. If all of them run, one has not ` +
                'joined it: see "no suitable peers for placement" in docs/runbook.md.'
              : 'Is NATS_NKEY_SEED that of the user deploy, and is JetStream enabled in nats-server?';
            throw new CommandError(`The streams could not be declared: ${String(error)}. ${remedy}`);
          });
          show({ declared }, json, () => declared.join('\n'));
        },
        { timeoutMs: connectTimeoutMs },
      ),
    );

  addCommand(bus, 'routes', 'create the password by which bundled NATS servers join each other, in a Secret', [
    'bus routes --kubernetes-secret holdfast-nats-routes --route tls://holdfast-nats-0.holdfast-nats-headless:6222',
  ])
    .requiredOption('--kubernetes-secret <name>', 'Secret that only the pods of NATS mount')
    .requiredOption('--route <url...>', 'the servers')
    .option('--certificate <name>', 'Secret with the certificate of the servers, whose key is pinned')
    .action(async ({ kubernetesSecret: name, route, certificate }: RoutesOptions) => {
      const store = await clusterStore('secrets');
      const pinned = certificate === undefined ? undefined : (await readSecret(store, certificate))['tls.crt'];
      if (certificate !== undefined && !pinned)
        throw new CommandError(
          `The Secret ${certificate} has no certificate. "holdfast secrets certificates" creates it.`,
        );
      const changed = await createRoutes(store, name, route, pinned);
      process.stdout.write(`The Secret ${name} ${changed ? 'has been written' : 'stays as it is'}.\n`);
    });

  addCommand(
    bus,
    'users',
    'print the part of nats.conf with the users, their public NKeys and permissions, or store it as users.conf',
    [
      'bus users --folder /etc/holdfast/secrets',
      'bus users --kubernetes-secret holdfast --config-map holdfast-nats-users',
      'bus users --kubernetes-secret holdfast --shard holdfast-eu2 --config-map holdfast-eu2-nats-users',
    ],
  )
    .option('--folder <path>', 'folder of "secrets create"')
    .option('--kubernetes-secret <name>', 'Secret of "secrets create", in the namespace of the pod')
    .option('--shard <source>', 'folder or Secret of "secrets create --shard", for the NATS of a further shard')
    .option('--config-map <name>', 'ConfigMap in which users.conf is created or replaced')
    .addOption(
      new Option(
        '--layout <layout>',
        'accounts: each reader of the audit log has an account of its own; single: all are in the global account. By ' +
          'default that of the ConfigMap, and accounts for a new one',
      ).choices(['accounts', 'single']),
    )
    .action(async ({ folder, kubernetesSecret, shard, configMap, layout }: UsersOptions) => {
      if ((folder === undefined) === (kubernetesSecret === undefined))
        throw new CommandError('Name one source: --folder <path> or --kubernetes-secret <name>.', 2);
      const read = async (source: string) =>
        folder === undefined ? readSecret(await clusterStore('secrets'), source) : secretsIn(source);
      const common = await read(folder ?? kubernetesSecret!);
      const secrets = shard === undefined ? common : shardSecrets(common, await read(shard));
      const usersIn = (to: NatsLayout): string =>
        `${JSON.stringify(natsUsersConfig(usersOf(secrets), auditReaders(secrets), to), null, 2)}\n`;
      if (configMap === undefined) return void process.stdout.write(usersIn(layout ?? 'accounts'));
      await changeData(
        await clusterStore('configmaps'),
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMap } },
        (data): Record<string, string> => usersChange(data['users.conf'], usersIn, layout),
      );
      process.stdout.write(`The ConfigMap ${configMap} has the users of this version.\n`);
    });
}

/**
 * A running deployment keeps its layout: in another account services would find no streams until all nats-servers are
 * restarted and the streams are declared.
 */
export function usersChange(
  existing: string | undefined,
  usersIn: (layout: NatsLayout) => string,
  wanted?: NatsLayout,
): Record<string, string> {
  const layout = wanted ?? (existing === undefined ? 'accounts' : layoutOf(existing));
  const users = usersIn(layout);
  return existing === users ? {} : { 'users.conf': users };
}

interface DeclareOptions extends Json {
  replicas: number;
  auditDays: number;
  auditBytes: number;
}

/** @throws InvalidArgumentError */
function positive(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new InvalidArgumentError('Use a whole number above 0.');
  return Number(value);
}

interface RoutesOptions {
  kubernetesSecret: string;
  route: string[];
  certificate?: string;
}

interface UsersOptions {
  folder?: string;
  kubernetesSecret?: string;
  shard?: string;
  configMap?: string;
  layout?: NatsLayout;
}

/** What the NATS of a shard knows: secrets of a shard come from its own source only, also during a rotation. */
function shardSecrets(common: Secrets, own: Secrets): Secrets {
  const names = shardSecretTable.flatMap(({ name }) => [name, previousName(name)]);
  const others = Object.entries(common).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(others), ...own };
}

/** @throws CommandError that names the seed which is missing */
function usersOf(secrets: Secrets): Record<BusUser, string[]> {
  const missing = natsUsers.map(nkeySeedName).filter((name) => !secrets[name]);
  if (missing.length > 0)
    throw new CommandError(
      `The secrets lack ${missing.join(', ')}. "holdfast secrets create" creates what is missing.`,
    );
  return publicKeys(secrets);
}
