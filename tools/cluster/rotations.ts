import { owner, withPodOf, type Release } from './owner.ts';

/** Secrets reach mounted volumes, and users of NATS its servers, within about a minute. */
const untilMountedMs = 120_000;

/** docs/runbook.md, "Rotating in a cluster": a key of one service, which is restarted after each step. */
export async function rotateKey(release: Release, secret: string, service: string): Promise<void> {
  await withPodOf(release, `${release.name}-owner`, async () => {
    rotate(release, 'start', secret);
    restart(release, service);
    rotate(release, 'switch', secret);
    restart(release, service);
    rotate(release, 'finish', secret, '--wait', '120');
    restart(release, service);
    mustHaveEnded(release);
  });
}

/** The same for a password of the database. The restart shows that a new pod connects with what is left. */
export async function rotatePassword(release: Release, secret: string, service: string): Promise<void> {
  await withPodOf(release, `${release.name}-owner`, async () => {
    rotate(release, 'start', secret);
    await untilMounted();
    owner(release, 'database', 'setup', '--kubernetes-secret', release.name);
    rotate(release, 'finish', secret, '--wait', '120');
    restart(release, service);
    mustHaveEnded(release);
  });
}

/** The same for the key of a user of NATS. */
export async function rotateNatsUser(release: Release, secret: string, service: string): Promise<void> {
  const users = ['bus', 'users', '--kubernetes-secret', release.name, '--config-map', `${release.name}-nats-users`];
  await withPodOf(release, `${release.name}-owner`, async () => {
    rotate(release, 'start', secret);
    owner(release, ...users);
    await untilMounted();
    rotate(release, 'switch', secret);
    restart(release, service);
    rotate(release, 'finish', secret);
    owner(release, ...users);
    mustHaveEnded(release);
  });
}

function rotate(release: Release, step: string, secret: string, ...options: string[]): void {
  owner(release, 'secrets', 'rotate', step, secret, '--kubernetes-secret', release.name, ...options);
}

function restart({ cluster, name }: Release, service: string): void {
  const workload = `${service === 'audit' ? 'statefulset' : 'deployment'}/${name}-${service}`;
  cluster.kubectl(['rollout', 'restart', workload]);
  cluster.kubectl(['rollout', 'status', workload, '--timeout=600s']);
}

function mustHaveEnded(release: Release): void {
  const status = owner(release, 'secrets', 'rotate', 'status', '--kubernetes-secret', release.name);
  if (!status.includes('No rotation is in progress')) throw new Error(`A rotation has not ended:\n${status}`);
}

async function untilMounted(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, untilMountedMs));
}
