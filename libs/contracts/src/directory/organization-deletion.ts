import { z } from 'zod';
import { shortId } from '../context.js';
import { command } from '../contract.js';
import { organizationSchema } from './organizations.js';

/** The longest time between the decision to delete an organization and its deletion: a year. */
export const maxGraceSeconds = 366 * 86_400;

/**
 * Steps of `holdfast org delete` and `holdfast org purge` in directory. `schedule` suspends the organization; until its
 * time has come, `suspend-organization` with `suspended: false` cancels the deletion. `begin` cannot be undone.
 */
export const deleteOrganization = command({
  service: 'directory',
  name: 'delete-organization',
  callers: ['operator'],
  request: z.discriminatedUnion('step', [
    z.strictObject({ step: z.literal('schedule'), shortId, graceSeconds: z.int().min(0).max(maxGraceSeconds) }),
    z.strictObject({ step: z.literal('begin'), shortId }),
  ]),
  reply: organizationSchema,
  errors: ['unknown_organization', 'conflict'],
});
