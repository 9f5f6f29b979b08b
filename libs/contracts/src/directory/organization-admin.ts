import { z } from 'zod';
import { shortId } from '../context.js';
import { idempotentCommand, query } from '../contract.js';
import { readableName } from '../readable-text.js';
import { brandingChanges, brandingFields } from './branding.js';

const name = readableName(100).describe('What customers read on every page');

/** An organization as its own people see it. */
const ownOrganizationSchema = z
  .strictObject({
    shortId: shortId.describe('In each of its addresses; never changes'),
    name: z.string().describe('What customers read on every page'),
    ...brandingFields,
    // An earlier version of directory sends none.
    version: z.int().default(1).describe('Grows with each change; the `ETag` has it'),
  })
  .meta({ id: 'Organization' });
export type OwnOrganization = z.infer<typeof ownOrganizationSchema>;

/** Body of a change (RFC 7396): only the given members change, null removes. */
const organizationPatchSchema = z
  .strictObject({ name: name.optional(), ...brandingChanges })
  .meta({ id: 'OrganizationPatch' });

export const adminGetOrganization = query({
  service: 'directory',
  name: 'admin-get-organization',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: ownOrganizationSchema,
  errors: ['unknown_organization'],
});
export const adminUpdateOrganization = idempotentCommand({
  service: 'directory',
  name: 'admin-update-organization',
  callers: ['gateway'],
  request: z.strictObject({
    changes: organizationPatchSchema,
    ifVersions: z.array(z.int()).max(20).optional().describe('With any other version nothing is changed'),
  }),
  reply: z.strictObject({ organization: ownOrganizationSchema }),
  errors: ['unknown_organization', 'precondition_failed', 'invalid_request'],
});
