import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { requestFromLoadPod } from './load.ts';
import { commandIn, withPodOf, type Release } from './owner.ts';

const customers = 5;
const appSchema = z.object({ app: z.object({ clientId: z.string() }), clientSecret: z.string() });
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
  const deployment = shard ? 'organization-move' : 'owner';
  const asOwner = (...args: string[]): string => commandIn(release, deployment, ...args);
  const { shortId, ...app } = create(release);
  const archive = `/archive/${shortId}`;
  await withPodOf(release, `${name}-${deployment}`, () => {
    if (shard) {
      asOwner('org', 'move', shortId, '--to', shard);
      asOwner('org', 'move', shortId, '--delete-source');
      mustHaveCustomers(cluster, { shortId, ...app });
    }
    commandIn(release, 'cli', 'org', 'delete', shortId, '--yes', '--grace-days', '0');
    asOwner('org', 'purge', shortId, archive, '--export');
    if (commandIn(release, 'cli', 'org', 'list').includes(shortId)) throw new Error(`${shortId} is not deleted.`);
    return Promise.resolve();
  });
  // The archive is a volume: another pod reads what the first one has written.
  await withPodOf(release, `${name}-${deployment}`, () => Promise.resolve(asOwner('org', 'import', archive)));
  commandIn(release, 'cli', 'org', 'resume', shortId);
  mustHaveCustomers(cluster, { shortId, ...app });
}

function create(release: Release): Made {
  const shortId = `check-${randomBytes(3).toString('hex')}`;
  commandIn(release, 'cli', 'org', 'create', shortId, '--name', 'An organization that is deleted');
  const grants = scopes.flatMap((scope) => ['--grant', scope]);
  const settings = ['--name', 'backend', '--kind', 'service', ...grants];
  const created = commandIn(release, 'cli', 'app', 'create', shortId, ...settings, '--json');
  const {
    app: { clientId },
    clientSecret,
  } = appSchema.parse(JSON.parse(created));
  const made = { shortId, clientId, clientSecret };
  for (let i = 0; i < customers; i += 1) requestFromLoadPod(release.cluster, made, scopes, 'POST', 'offers');
  mustHaveCustomers(release.cluster, made);
  return made;
}

function mustHaveCustomers(cluster: Release['cluster'], made: Made): void {
  const { items } = z
    .object({ items: z.array(z.unknown()) })
    .parse(requestFromLoadPod(cluster, made, scopes, 'GET', 'subjects'));
  if (items.length !== customers)
    throw new Error(`${made.shortId} has ${items.length} customers, and ${customers} were created.`);
}
