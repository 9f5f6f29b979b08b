// The small variant of Zod, since browsers load this library.
import * as z from 'zod/mini';
import { retentionNames } from '@holdfast/contracts';

/**
 * The `changes` of a record of `audit.drop`: class and month of the dropped entries, their number, and their sequence
 * numbers (`places`): the first, the last, and SHA-256 in base64 over all of them, ascending, 8 bytes each, big-endian.
 * Exactly these entries must have no bytes. Records of earlier versions have no `places`.
 */
export const droppedSchema = z.strictObject({
  retention: z.strictObject({ to: z.enum(retentionNames) }),
  month: z.strictObject({ to: z.string().check(z.regex(/^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/)) }),
  entries: z.strictObject({ to: z.int().check(z.minimum(1)) }),
  places: z.optional(
    z.strictObject({
      to: z.strictObject({
        first: z.int().check(z.minimum(1)),
        last: z.int().check(z.minimum(1)),
        sha256: z.base64(),
      }),
    }),
  ),
});
export type Dropped = z.infer<typeof droppedSchema>;
