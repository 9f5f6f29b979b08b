import { execFileSync, spawnSync } from 'node:child_process';
import { root } from '../setup/paths.mjs';

/** In the order in which an upgrade replaces them. */
export const services = ['directory', 'audit', 'subjects', 'signals', 'issuance', 'auth', 'gateway'];

/** kubectl and helm in one namespace of the current context. */
export interface Kubernetes {
  namespace: string;
  kubectl: (args: string[], input?: string) => string;
  helm: (args: string[]) => string;
}

export function kubernetes(namespace: string): Kubernetes {
  const inNamespace = (program: string, args: string[], input?: string): string =>
    execFileSync(program, ['--namespace', namespace, ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      input: input ?? '',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  return {
    namespace,
    kubectl: (args, input) => inNamespace('kubectl', args, input),
    helm: (args) => inNamespace('helm', args),
  };
}

/**
 * Sends manifests to the API server, which creates nothing. Unlike `helm install --dry-run=server`, this runs
 * admission: Pod Security refuses pods, and warns about Deployments, StatefulSets and Jobs whose pods it would refuse.
 */
export function admit(cluster: Kubernetes, manifests: string): void {
  const args = ['--namespace', cluster.namespace, 'create', '--dry-run=server', '-f', '-'];
  const { status, stderr } = spawnSync('kubectl', args, { encoding: 'utf8', input: manifests });
  if (status !== 0 || /warning/i.test(stderr))
    throw new Error(`The API server refuses the manifests, or warns about them:\n${stderr}`);
}

interface Pod {
  metadata: { name: string; uid: string; labels?: Record<string, string>; deletionTimestamp?: string };
  spec: { nodeName?: string };
  status: { conditions?: { type: string; status: string }[]; phase: string };
}

/** The pods of a component, those that end already left out. */
export function podsOf(cluster: Kubernetes, component: string): Pod[] {
  const selector = `app.kubernetes.io/component=${component}`;
  const { items } = JSON.parse(cluster.kubectl(['get', 'pods', '-l', selector, '-o', 'json'])) as { items: Pod[] };
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function isReady(pod: Pod): boolean {
  return pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** Waits until `count` pods of a component are ready. */
export async function untilReady(cluster: Kubernetes, component: string, count: number): Promise<void> {
  const deadline = Date.now() + 10 * 60_000;
  while (podsOf(cluster, component).filter(isReady).length < count) {
    if (Date.now() > deadline) throw new Error(`${component} did not get ${count} ready pods in ten minutes.`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
