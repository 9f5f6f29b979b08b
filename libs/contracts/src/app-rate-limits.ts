import { z } from 'zod';

/** Requests a minute. */
const quota = z.int().min(1).max(1_000_000_000);

/** Quotas that an operator has set; those of the deployment apply where one is absent. */
export const appRateLimitsSchema = z.strictObject({
  read: quota.optional().describe('Reads of the API a minute'),
  write: quota.optional().describe('Changes by the API a minute'),
  client: quota.optional().describe('Requests a minute to token endpoints with the right secret or key'),
});
export type AppRateLimits = z.infer<typeof appRateLimitsSchema>;

/** Changes the given quotas only. */
export const appRateLimitsPatchSchema = z
  .strictObject({ read: quota.nullable(), write: quota.nullable(), client: quota.nullable() })
  .partial()
  .describe('Null: the quota of the organization, or of the deployment');
export type AppRateLimitsPatch = z.infer<typeof appRateLimitsPatchSchema>;
