import { z } from 'zod';

export const shortId = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{1,30}[a-z0-9])$/,
    'must be 3 to 32 lower-case letters, digits or hyphens, not beginning or ending with a hyphen',
  )
  .describe("The organization's short identifier, as it appears in its issuer")
  .meta({ examples: ['acme'] });

/** Who acts. `anonymous` is a caller whose token was refused. */
export const actorSchema = z.strictObject({
  type: z
    .enum(['app', 'operator', 'system', 'customer', 'person', 'anonymous'])
    .describe('What it is; `anonymous` is a caller whose token was refused'),
  id: z.string().describe('The client ID of an app, for instance'),
  name: z.string().optional().describe('Its name when it acted'),
});
export type Actor = z.infer<typeof actorSchema>;

/**
 * How a request came in; the route is a template, so that it names nobody. Address and user agent are a human's alone:
 * of an app's request they are left out.
 */
export const requestInfoSchema = z.strictObject({
  id: z
    .string()
    .describe(
      'The X-Request-Id that the caller sent, or the one that Holdfast gave: that of the header Holdfast-Request-Id. The former is gone once the customer whom the request concerned is erased',
    ),
  traceparent: z.string().describe('W3C Trace Context that the caller sent, or one of our own, as with `id`'),
  method: z.string().describe('HTTP method; `CLI` for the command line of the operator'),
  route: z.string().describe('Template of the route, never the path itself'),
  address: z
    .string()
    .max(64)
    .optional()
    .describe('Of a customer or person: the address they came from. Gone once they are erased'),
  callerId: z
    .string()
    .max(128)
    .optional()
    .describe('Inside of Holdfast alone: the X-Request-Id that the caller sent, where `id` is ours'),
  callerTraceparent: z
    .string()
    .max(64)
    .optional()
    .describe('Inside of Holdfast alone: the trace that the caller sent, where `traceparent` is ours'),
  userAgent: z
    .string()
    .max(512)
    .optional()
    .describe('Of a customer or person: the User-Agent header. Gone once they are erased'),
});
export type RequestInfo = z.infer<typeof requestInfoSchema>;

/**
 * What every call on the bus carries besides its input. Identity comes from the verified token alone: handlers read
 * organization and actor here and nowhere else.
 */
export const requestContextSchema = z.strictObject({
  org: z.string(),
  actor: actorSchema,
  request: requestInfoSchema,
  /** Id of the one audit record of this request, whoever writes it. Made by the gateway, never by the caller. */
  auditId: z.uuid(),
});
export type RequestContext = z.infer<typeof requestContextSchema>;
