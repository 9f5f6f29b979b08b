import type { Kubernetes } from './kubernetes.ts';

export interface Release {
  cluster: Kubernetes;
  /** Name of the Helm release, with which the names of its resources begin. */
  name: string;
}

/** Starts a Deployment that has no pod until it is needed, and ends its pod after the task. */
export async function withPodOf<T>({ cluster }: Release, deployment: string, act: () => Promise<T>): Promise<T> {
  cluster.kubectl(['scale', `deployment/${deployment}`, '--replicas=1']);
  cluster.kubectl(['rollout', 'status', `deployment/${deployment}`, '--timeout=180s']);
  try {
    return await act();
  } finally {
    cluster.kubectl(['scale', `deployment/${deployment}`, '--replicas=0']);
  }
}

/** Runs a command of the operator in the pod of a Deployment: `cli`, `owner` or `organization-move`. */
export function commandIn({ cluster, name }: Release, deployment: string, ...args: string[]): string {
  return cluster.kubectl(['exec', `deploy/${name}-${deployment}`, '--', 'node', 'service/main.js', ...args]);
}

/** The same in the pod of the owner. */
export function owner(release: Release, ...args: string[]): string {
  return commandIn(release, 'owner', ...args);
}
