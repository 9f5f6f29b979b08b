import { missingSecrets, secretTable } from '@holdfast/platform-policy';
import { CommandError } from '../command-error.js';
import { changeData, type KubernetesObject, type ObjectStore } from './kubernetes-api.js';

/** @returns the names of the created secrets */
export async function createInSecret(store: ObjectStore, name: string, entries = secretTable): Promise<string[]> {
  const created = await changeData(store, emptySecret(name), (data) => encoded(missingSecrets(decoded(data), entries)));
  return Object.keys(created);
}

/** @throws CommandError when it does not exist */
export async function readSecret(store: ObjectStore, name: string): Promise<Record<string, string>> {
  const secret = await store.get(name);
  if (!secret) throw new CommandError(`There is no Secret ${name} in the namespace of this pod.`);
  return decoded(secret.data ?? {});
}

export function emptySecret(name: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { 'app.kubernetes.io/name': 'holdfast', 'app.kubernetes.io/managed-by': 'holdfast' } },
    type: 'Opaque',
  };
}

export function decoded(data: Record<string, string>): Record<string, string> {
  return mapValues(data, (value) => Buffer.from(value, 'base64').toString());
}

/** A value that is undefined stays so: it is removed. */
export function encoded<Value extends string | undefined>(secrets: Record<string, Value>): Record<string, Value> {
  const encode = (value: Value) => (value === undefined ? value : (Buffer.from(value).toString('base64') as Value));
  return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, encode(value)]));
}

function mapValues(entries: Record<string, string>, map: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, map(value)]));
}
