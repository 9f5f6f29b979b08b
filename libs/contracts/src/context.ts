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
 * How a request came in. The route is a template, so that it contains no ids. Address and user agent are recorded for
 * customers and persons and left out for apps.
 */
export const requestInfoSchema = z.strictObject({
  id: z
    .string()
    .describe(
      "The caller's X-Request-Id, or Holdfast's own as in the header Holdfast-Request-Id. The caller's " +
        'is destroyed when the customer whom the request concerned is erased',
    ),
  traceparent: z.string().describe('W3C Trace Context that the caller sent, or one of our own, as with `id`'),
  method: z.string().describe('HTTP method; `CLI` for the command line of the operator'),
  route: z.string().describe('Template of the route, never the path itself'),
  address: z
    .string()
    .max(64)
    .optional()
    .describe('Network address of a customer or person. Destroyed when they are erased'),
  callerId: z
    .string()
    .max(128)
    .optional()
    .describe("Internal: the X-Request-Id of the caller, when `id` is Holdfast's own"),
  callerTraceparent: z
    .string()
    .max(64)
    .optional()
    .describe("Internal: the traceparent of the caller, when `traceparent` is Holdfast's own"),
  userAgent: z
    .string()
    .max(512)
    .optional()
    .describe('User-Agent header of a customer or person. Destroyed when they are erased'),
});
export type RequestInfo = z.infer<typeof requestInfoSchema>;

/**
 * What every request on the bus carries besides its input. Identity comes from the verified token alone: handlers read
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
