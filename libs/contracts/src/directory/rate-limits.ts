import { z } from 'zod';
import { appRateLimitsPatchSchema } from '../app-rate-limits.js';
import { shortId } from '../context.js';
import { command } from '../contract.js';
import { appSchema, organizationSchema } from './directory.js';

/** Quotas of each app of an organization. In force for an app with its next access token. */
export const limitOrganization = command({
  service: 'directory',
  name: 'limit-organization',
  callers: ['operator'],
  request: z.strictObject({ shortId, rateLimits: appRateLimitsPatchSchema }),
  reply: organizationSchema,
  errors: ['unknown_organization'],
});

/** Quotas of one app, which precede those of its organization. In force with its next access token. */
export const limitApp = command({
  service: 'directory',
  name: 'limit-app',
  callers: ['operator'],
  request: z.strictObject({ clientId: appSchema.shape.clientId.max(64), rateLimits: appRateLimitsPatchSchema }),
  reply: appSchema,
  errors: ['unknown_app'],
});
