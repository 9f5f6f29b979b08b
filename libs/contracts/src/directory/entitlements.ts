import { z } from 'zod';
import { query } from '../contract.js';
import { instant, pageLimit, uuid } from '../fields.js';

const entitlementPaths = {
  direct: 'the person is assigned to the app',
  group: 'the person is a member of an assigned group',
  request: 'an approved access request',
  role: "the app is the organization's hub, which every active person can use",
} as const;
type Path = keyof typeof entitlementPaths;
const paths = Object.keys(entitlementPaths) as [Path, ...Path[]];

/** One way in which a person can use an app now. */
const entitlementSchema = z
  .strictObject({
    user: uuid.describe('The person'),
    app: z.string().describe('Client ID of the app'),
    path: z.enum(paths).describe(
      `How the person can use it: ${Object.entries(entitlementPaths)
        .map(([path, meaning]) => `\`${path}\`: ${meaning}`)
        .join('; ')}`,
    ),
    assignment: uuid.optional().describe('The assignment; absent for `role`'),
    group: uuid.optional().describe('The group, for `group`'),
    accessRequest: uuid.optional().describe('The access request, for `request`'),
    since: instant.describe('Since when'),
    expiresAt: instant.optional().describe('When it ends by itself, if it does'),
  })
  .meta({ id: 'Entitlement' });
export type Entitlement = z.infer<typeof entitlementSchema>;

/** Sort key of a page's last row: time and id of the assignment (of the person, for `role`), then the person. */
const entitlementCursorSchema = z.strictObject({ at: instant, id: uuid, user: uuid });

/** Who can use which app now, and by which path. Filters that name nothing match nothing. */
export const listEntitlements = query({
  service: 'directory',
  name: 'list-entitlements',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    user: uuid.optional().describe('Only what this person can use'),
    app: z.string().max(64).optional(),
    group: uuid.optional().describe('Only what comes through this group'),
    limit: pageLimit,
    after: entitlementCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(entitlementSchema), next: entitlementCursorSchema.optional() }),
  errors: ['unknown_organization'],
});
