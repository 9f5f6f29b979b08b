import { z } from 'zod';

/** The part of an earlier seed's output that is needed again. Other members are ignored. */
export const knownAppsSchema = z.object({
  organizations: z.array(
    z.object({ apps: z.array(z.object({ clientId: z.string(), clientSecret: z.string().optional() })) }),
  ),
});
export type KnownApp = z.infer<typeof knownAppsSchema>['organizations'][number]['apps'][number];
