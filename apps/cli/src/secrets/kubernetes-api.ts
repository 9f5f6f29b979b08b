import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { CommandError } from '../command-error.js';
import { clusterConfig } from '../config.js';

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const timeoutMs = 10_000;

/** An object of the Kubernetes API, as far as a Secret and a ConfigMap need it. */
export interface KubernetesObject {
  apiVersion: 'v1';
  kind: 'Secret' | 'ConfigMap';
  metadata: { name: string; resourceVersion?: string; labels?: Record<string, string>; [other: string]: unknown };
  type?: string;
  data?: Record<string, string>;
  [other: string]: unknown;
}

/** Objects of one kind in a namespace. */
export interface ObjectStore {
  /** Undefined when it does not exist. */
  get: (name: string) => Promise<KubernetesObject | undefined>;
  /** False when an object of the name exists already. */
  create: (object: KubernetesObject) => Promise<boolean>;
  /** False when the object has changed since it was read, or is gone. */
  replace: (object: KubernetesObject) => Promise<boolean>;
}

/**
 * The API of the cluster in which this process runs, with the rights of its service account.
 *
 * @param plural as the API names the kind
 * @throws CommandError outside of a cluster
 */
export async function clusterStore(
  plural: 'secrets' | 'configmaps',
  env = clusterConfig(),
  folder = serviceAccountFolder,
): Promise<ObjectStore> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const [token, ca, namespace] = await Promise.all(
    ['token', 'ca.crt', 'namespace'].map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)),
  );
  if (!host || !token || !ca || !namespace)
    throw new CommandError(
      'This is no pod of a Kubernetes cluster with a service account token. Run the command in a pod whose service ' +
        'account may get, create and update the object, or use --folder.',
    );
  const address = host.includes(':') ? `[${host}]` : host;
  const dispatcher = new Agent({ connect: { ca }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  return storeAt(
    `https://${address}:${port}/api/v1/namespaces/${namespace.trim()}/${plural}`,
    token.trim(),
    dispatcher,
  );
}

export function storeAt(url: string, token: string, dispatcher: Agent): ObjectStore {
  /** @returns the object, or the status when it is in `expected` */
  const send = async (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    expected: number[],
    object?: KubernetesObject,
  ): Promise<KubernetesObject | number> => {
    const { statusCode, body } = await request(`${url}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(object && { body: JSON.stringify(object) }),
    }).catch((error: unknown) => {
      throw new CommandError(`The Kubernetes API does not respond: ${(error as Error).message}`);
    });
    const reply = (await body.json().catch(() => ({}))) as KubernetesObject & { message?: string };
    if (expected.includes(statusCode)) return statusCode;
    if (statusCode < 300) return reply;
    throw new CommandError(`The Kubernetes API refuses ${method} with ${statusCode}: ${reply.message ?? 'no reason'}`);
  };
  return {
    async get(name) {
      const reply = await send('GET', `/${name}`, [404]);
      return typeof reply === 'number' ? undefined : reply;
    },
    create: async (object) => typeof (await send('POST', '', [409], object)) !== 'number',
    replace: async (object) => typeof (await send('PUT', `/${object.metadata.name}`, [404, 409], object)) !== 'number',
  };
}

/**
 * Changes the data of an object, or creates it. Of two writers at the same time one wins as a whole: the
 * other reads the object again and repeats.
 *
 * @param change gets the current data, and returns what to add, replace or (undefined) remove; nothing, when
 * nothing is to change
 * @returns what the last call of `change` returned
 */
export async function changeData(
  store: ObjectStore,
  empty: KubernetesObject,
  change: (
    data: Record<string, string>,
  ) => Record<string, string | undefined> | Promise<Record<string, string | undefined>>,
): Promise<Record<string, string | undefined>> {
  const maxAttempts = 50;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const existing = await store.get(empty.metadata.name);
    const added = await change(existing?.data ?? {});
    if (existing && Object.keys(added).length === 0) return added;
    const all = Object.entries({ ...(existing ?? empty).data, ...added });
    const data = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
    const object = { ...(existing ?? empty), data };
    if (await (existing ? store.replace(object) : store.create(object))) return added;
  }
  throw new CommandError(`${empty.kind} ${empty.metadata.name} was changed by others ${maxAttempts} times in a row.`);
}
