import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Secrets } from '@holdfast/platform-policy';
import { CommandError } from '../command-error.js';
import { secretsIn } from './folder.js';
import { changeData, clusterStore } from './kubernetes-api.js';
import { decoded, emptySecret, encoded } from './kubernetes-secret.js';
import type { SecretChanges } from './rotation.js';

export interface SecretTarget {
  folder?: string;
  kubernetesSecret?: string;
  file?: string;
}

/** Where the secrets of a deployment are. */
export interface SecretStore {
  read: () => Promise<Secrets>;
  /** @returns what was changed */
  change: (decide: (secrets: Secrets) => SecretChanges) => Promise<SecretChanges>;
}

/** @throws CommandError unless exactly one target is named */
export async function secretStore({ folder, kubernetesSecret, file }: SecretTarget): Promise<SecretStore> {
  if ([folder, kubernetesSecret, file].filter((target) => target !== undefined).length !== 1)
    throw new CommandError('Name one target: --folder <path>, --kubernetes-secret <name> or --file <path>.', 2);
  if (folder !== undefined) return folderStore(folder);
  return file === undefined ? kubernetesStore(kubernetesSecret!) : jsonStore(file);
}

/** Files are replaced one by one, each whole, in the order in which they are named. */
function folderStore(folder: string): SecretStore {
  const read = () => secretsIn(folder).catch(unusable('The folder of the secrets'));
  return {
    read,
    async change(decide) {
      const changes = decide(await read());
      for (const [name, value] of Object.entries(changes))
        await (
          value === undefined ? rm(join(folder, name), { force: true }) : replace(join(folder, name), value)
        ).catch(unusable('The folder of the secrets'));
      return changes;
    },
  };
}

/** The secrets.json of a local stack. */
function jsonStore(file: string): SecretStore {
  const read = async () =>
    JSON.parse(await readFile(file, 'utf8').catch(unusable('The file of the secrets'))) as Secrets;
  return {
    read,
    async change(decide) {
      const secrets = await read();
      const changes = decide(secrets);
      // JSON has no undefined members.
      if (Object.keys(changes).length > 0)
        await replace(file, `${JSON.stringify({ ...secrets, ...changes }, null, 2)}\n`);
      return changes;
    },
  };
}

async function kubernetesStore(name: string): Promise<SecretStore> {
  const objects = await clusterStore('secrets');
  return {
    read: async () => decoded((await objects.get(name))?.data ?? {}),
    async change(decide) {
      let changes: SecretChanges = {};
      await changeData(objects, emptySecret(name), (data) => {
        changes = decide(decoded(data));
        return encoded(changes);
      });
      return changes;
    },
  };
}

async function replace(path: string, content: string): Promise<void> {
  const draft = join(dirname(path), `.${randomUUID()}`);
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  await chmod(draft, 0o600);
  await rename(draft, path);
}

function unusable(what: string): (error: unknown) => never {
  return (error) => {
    throw new CommandError(`${what} cannot be used: ${(error as Error).message}`);
  };
}
