import { podsOf, untilReady, type Kubernetes } from './kubernetes.ts';

/**
 * Ends each pod of a component, one after the other, and waits for its successor. `evict` is what a drain of a node
 * does: the API refuses while the PodDisruptionBudget does not allow it. `kill` gives the process no time to finish.
 */
export async function disrupt(cluster: Kubernetes, component: string, how: 'evict' | 'kill'): Promise<void> {
  const pods = podsOf(cluster, component);
  if (pods.length === 0) throw new Error(`${component} has no pods.`);
  for (const { metadata } of pods) {
    if (how === 'evict') await evict(cluster, metadata.name);
    else cluster.kubectl(['delete', 'pod', metadata.name, '--grace-period=0', '--force', '--wait=false']);
    await untilReplaced(cluster, component, metadata.uid);
    await untilReady(cluster, component, pods.length);
  }
}

/** Nodes that accept pods. */
export function nodesOf(cluster: Kubernetes): string[] {
  const { items } = JSON.parse(cluster.kubectl(['get', 'nodes', '-o', 'json'])) as {
    items: { metadata: { name: string }; spec: { unschedulable?: boolean } }[];
  };
  return items.flatMap(({ metadata, spec }) => (spec.unschedulable ? [] : [metadata.name]));
}

/** Moves all pods of the chart to other nodes, as for the maintenance of a node. It accepts pods again afterwards. */
export function drain(cluster: Kubernetes, node: string): void {
  const selector = 'app.kubernetes.io/name=holdfast';
  try {
    const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=10m', '--pod-selector', selector];
    cluster.kubectl(['drain', node, ...options]);
  } finally {
    cluster.kubectl(['uncordon', node]);
  }
}

async function evict(cluster: Kubernetes, name: string): Promise<void> {
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: cluster.namespace },
  };
  const path = `/api/v1/namespaces/${cluster.namespace}/pods/${name}/eviction`;
  for (let attempt = 1; ; attempt++)
    try {
      cluster.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
      return;
    } catch (error) {
      if (attempt >= 60 || !String((error as { stderr?: string }).stderr).includes('disruption budget')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
}

async function untilReplaced(cluster: Kubernetes, component: string, uid: string): Promise<void> {
  const deadline = Date.now() + 5 * 60_000;
  while (podsOf(cluster, component).some(({ metadata }) => metadata.uid === uid)) {
    if (Date.now() > deadline) throw new Error(`A pod of ${component} did not end in five minutes.`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
