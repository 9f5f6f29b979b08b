import { z } from 'zod';

/** The members of an earlier seed's output that the next seed needs. Others are ignored. */
export const knownAppsSchema = z.object({
  organizations: z.array(
    z.object({ apps: z.array(z.object({ clientId: z.string(), clientSecret: z.string().optional() })) }),
  ),
});
export type KnownApp = z.infer<typeof knownAppsSchema>['organizations'][number]['apps'][number];
