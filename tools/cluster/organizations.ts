import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { requestFromLoadPod } from './load.ts';
import { withPodOf, type Release } from './owner.ts';

const customers = 5;
const appSchema = z.object({ app: z.object({ clientId: z.string() }), clientSecret: z.string() });
/** Customers by name: an app counts them, so that a lost one shows. */
const scopes = ['offers:write', 'issued:read'];

interface Made {
  shortId: string;
  clientId: string;
  clientSecret: string;
}

/**
 * docs/runbook.md, "Deleting an organization": deletes one with its rows in the archive, and brings it back. With
 * shards it has moved to `shard` before, and the pod that reaches all databases does the rest.
 * @throws unless it has the same customers afterwards
 */
export async function deleteAndImport(release: Release, shard?: string): Promise<void> {
  const { cluster, name } = release;
  const operator = (...args: string[]): string =>
    cluster.kubectl(['exec', `deploy/${name}-cli`, '--', 'node', 'service/main.js', ...args]);
  const made = create(release.cluster, operator);
  const deployment = `${name}-${shard ? 'organization-move' : 'owner'}`;
  await withPodOf(release, deployment, () => {
    const owner = (...args: string[]): string =>
      cluster.kubectl(['exec', `deploy/${deployment}`, '-c', 'cli', '--', 'node', 'service/main.js', ...args]);
    if (shard) {
      owner('org', 'move', made.shortId, '--to', shard);
      owner('org', 'move', made.shortId, '--delete-source');
      mustHaveCustomers(release.cluster, made);
    }
    operator('org', 'delete', made.shortId, '--yes', '--grace-days', '0');
    owner('org', 'purge', made.shortId, `/archive/${made.shortId}`, '--export');
    if (operator('org', 'list').includes(made.shortId)) throw new Error(`${made.shortId} is not deleted.`);
    return Promise.resolve();
  });
  // The archive is a volume: another pod reads what the first one has written.
  await withPodOf(release, deployment, () => {
    cluster.kubectl([
      ...['exec', `deploy/${deployment}`, '-c', 'cli', '--', 'node', 'service/main.js'],
      ...['org', 'import', `/archive/${made.shortId}`],
    ]);
    return Promise.resolve();
  });
  operator('org', 'resume', made.shortId);
  mustHaveCustomers(release.cluster, made);
}

function create(cluster: Release['cluster'], operator: (...args: string[]) => string): Made {
  const shortId = `check-${randomBytes(3).toString('hex')}`;
  operator('org', 'create', shortId, '--name', 'An organization that is deleted');
  const grants = scopes.flatMap((scope) => ['--grant', scope]);
  const created = operator('app', 'create', shortId, '--name', 'backend', '--kind', 'service', ...grants, '--json');
  const {
    app: { clientId },
    clientSecret,
  } = appSchema.parse(JSON.parse(created));
  const made = { shortId, clientId, clientSecret };
  for (let i = 0; i < customers; i += 1) requestFromLoadPod(cluster, made, scopes, 'POST', 'offers');
  mustHaveCustomers(cluster, made);
  return made;
}

function mustHaveCustomers(cluster: Release['cluster'], made: Made): void {
  const { items } = z
    .object({ items: z.array(z.unknown()) })
    .parse(requestFromLoadPod(cluster, made, scopes, 'GET', 'subjects'));
  if (items.length !== customers)
    throw new Error(`${made.shortId} has ${items.length} customers, and ${customers} were created.`);
}
