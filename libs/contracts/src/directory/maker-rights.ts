import { z } from 'zod';
import { query } from '../contract.js';
import { clientId, uuid } from '../fields.js';

/**
 * What a maker may do now, for services whose rows act later without it (product §4). Empty when it is disabled,
 * deleted, deactivated or removed, when it is of another organization, and while its organization is suspended.
 */
export const makerRights = query({
  service: 'directory',
  name: 'maker-rights',
  callers: ['issuance', 'signals', 'audit'],
  request: z.strictObject({
    org: z.string().max(64),
    maker: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('app'), id: clientId }),
      z.strictObject({ type: z.literal('person'), id: uuid }),
    ]),
  }),
  reply: z.strictObject({ operations: z.array(z.string()) }),
});
