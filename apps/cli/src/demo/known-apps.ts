import { z } from 'zod';

/** The members of an earlier seed's output that the next seed needs. Others are ignored. */
export const knownAppsSchema = z.object({
  /** The seed of a deployment without the example shop prints none. */
  baseUrl: z.url().optional(),
  organizations: z.array(
    z.object({ apps: z.array(z.object({ clientId: z.string(), clientSecret: z.string().optional() })) }),
  ),
});
export type Known = z.infer<typeof knownAppsSchema>;
export type KnownApp = Known['organizations'][number]['apps'][number];
