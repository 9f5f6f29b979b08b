import { z } from 'zod';

/** Of an earlier seed's output, what is needed again; the rest of the file may be what it likes. */
export const knownAppsSchema = z.object({
  organizations: z.array(
    z.object({ apps: z.array(z.object({ clientId: z.string(), clientSecret: z.string().optional() })) }),
  ),
});
export type KnownApp = z.infer<typeof knownAppsSchema>['organizations'][number]['apps'][number];
