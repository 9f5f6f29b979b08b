import { z } from 'zod';
import { shortId } from '../context.js';
import { query } from '../contract.js';
import { shardedServices } from '../services.js';
import { shardName } from '../shards.js';

/**
 * The shards of these organizations; organizations that do not exist are left out. Senders route by it, and services of
 * a shard refuse requests and events of another shard's organizations.
 */
export const organizationShards = query({
  service: 'directory',
  name: 'organization-shards',
  callers: ['gateway', 'auth', 'operator', ...shardedServices],
  request: z.strictObject({ shortIds: z.array(z.string()).max(1000) }),
  reply: z.strictObject({ organizations: z.array(z.strictObject({ shortId, shard: shardName })) }),
});
