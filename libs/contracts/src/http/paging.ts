import { z } from 'zod';

/** A parameter that is a whole number. */
export function wholeNumber(from: number, to: number) {
  const message = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .refine((n) => n >= from && n <= to, message)
    .meta({ parameter: { type: 'integer', minimum: from, maximum: to } });
}

/** `q` of a list that is searched by the beginning of a name. */
export function namePrefix(of: string) {
  const message = 'must have 1 to 100 characters';
  return z
    .string()
    .min(1, message)
    .max(100, message)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not have control characters')
    .optional()
    .describe(`Only ${of} whose name begins so, upper or lower case`);
}

/** `limit` of every list: 1 to 200, by default 50. Any other value is 400 and never clamped (specification §8). */
export const limitParameter = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, 'must be a whole number from 1 to 200')
  .transform(Number)
  .refine((n) => n <= 200, 'must be a whole number from 1 to 200')
  .default(50)
  .describe('Number of items to return, 1 to 200')
  .meta({ parameter: { type: 'integer', minimum: 1, maximum: 200, default: 50 } });

export const pageTokenParameter = z
  .string()
  .optional()
  .describe('`nextPageToken` of the previous page: selects the next one')
  // The length is only documented: a token of another length gets `invalid_page_token` like every invalid one.
  .meta({ parameter: { type: 'string', minLength: 1, maxLength: 2000 } });

/** Response of every list. */
export function pageSchema<Item extends z.ZodType>(item: Item, order = 'Newest first') {
  return z.strictObject({
    items: z.array(item).describe(order),
    hasMore: z.boolean().describe('Whether another page follows'),
    nextPageToken: z.string().optional().describe('Present when `hasMore` is true; pass it as `next_page_token`'),
  });
}

/** Example of a page with one item, for the API reference. */
export function pageExample<Item>(item: Item): { items: Item[]; hasMore: boolean; nextPageToken: string } {
  return { items: [item], hasMore: true, nextPageToken: 'kq2v1Xb7…' };
}
