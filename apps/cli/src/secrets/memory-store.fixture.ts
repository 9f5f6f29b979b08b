import type { KubernetesObject, ObjectStore } from './kubernetes-api.js';

/** Objects of a cluster. `secret` is what a Secret has, decoded. */
export function memoryStore(): ObjectStore & {
  secret: (name: string) => Record<string, string>;
} {
  const objects = new Map<string, KubernetesObject>();
  const put = (object: KubernetesObject) => Promise.resolve(!!objects.set(object.metadata.name, object));
  return {
    get: (name) => Promise.resolve(objects.get(name)),
    create: put,
    replace: put,
    secret: (name) =>
      Object.fromEntries(
        Object.entries(objects.get(name)?.data ?? {}).map(([key, value]) => [
          key,
          Buffer.from(value, 'base64').toString(),
        ]),
      ),
  };
}
