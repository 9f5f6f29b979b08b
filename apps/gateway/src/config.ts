import { z } from 'zod';
import { baseConfigSchema, httpLogConfigSchema, keyFromEnv, readableFile } from '@holdfast/platform';
import { rateLimitsSchema } from './endpoints/limit-classes.js';

const urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
  .pipe(z.array(z.url()).min(1));

export const configSchema = baseConfigSchema.extend({
  ...httpLogConfigSchema.shape,
  HTTP_PORT: z.coerce.number().int().describe('Port of the API'),
  HTTP_HOST: z
    .string()
    .default('localhost')
    .describe('Address that the port listens on: `localhost` is IPv4 and IPv6; use `0.0.0.0` in a container'),
  HTTP_CERT_FILE: readableFile
    .optional()
    .describe(
      'File with the certificate chain (PEM) of this listener; it serves HTTPS then, for deployments without a proxy ' +
        'that terminates TLS. A renewed one is loaded',
    ),
  HTTP_KEY_FILE: readableFile.optional().describe('File with the private key (PEM) of HTTP_CERT_FILE'),
  HTTP_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe('Maximum of concurrent client connections of a replica; further ones are closed'),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(1000)
    .describe('Maximum of concurrent connections per IPv4 address or IPv6 /64; trusted proxies have no such limit'),
  HTTP_MAX_REQUESTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(256)
    .describe(
      'Maximum of requests in progress of a replica, without those whose body has not arrived; further ones are ' +
        'rejected with 503 at once',
    ),
  HTTP_REJECTIONS_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .default(500)
    .describe(
      'Rejections per second that an overloaded replica answers at once; further ones are answered later, in their ' +
        'order and after about five seconds at most, so that their callers send fewer requests meanwhile',
    ),
  HTTP_HEADERS_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('Time limit for the headers of a request, in seconds after its first byte'),
  HTTP_BODY_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('Time limit for reading the body of a request, in seconds'),
  HTTP_DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    // Fastify gives a hook ten seconds.
    .max(8)
    .default(5)
    .describe('How long a stopping replica handles requests and closes each connection after a response, in seconds'),
  AUDIT_STREAMS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .default(500)
    .describe('Maximum of readers who follow audit logs at a replica: streams, and requests that wait for entries'),
  AUDIT_STREAMS_MAX_PER_CALLER: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .describe('Maximum of them for one app or person; further ones are refused with 429'),
  AUDIT_STREAMS_MAX_PER_ORGANIZATION: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe('Maximum of them for one organization; further ones are refused with 429'),
  AUTH_URLS: urls.describe('Replicas of auth, comma separated'),
  AUTH_CA_FILE: readableFile
    .optional()
    .describe('File with the certificates (PEM) that auth must prove itself by, with `https` in AUTH_URLS'),
  AUTH_CERT_FILE: readableFile
    .optional()
    .describe('File with the certificate chain (PEM) by which the gateway proves itself to auth: mutual TLS'),
  AUTH_KEY_FILE: readableFile.optional().describe('File with the private key (PEM) of AUTH_CERT_FILE'),
  AUTH_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .default(64)
    .describe('Maximum of concurrent requests to each replica of auth'),
  AUTH_MAX_REQUESTS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(32)
    .describe(
      'Maximum of concurrent requests to auth per IPv4 address or IPv6 /64; further ones wait half a second at most, ' +
        'and none while others have waited for 250 ms',
    ),
  AUTH_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('Time limit for the complete response of auth, in seconds'),
  BUS_MAX_REQUESTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(256)
    .describe('Maximum of concurrent requests to all services over the bus; further ones are refused with 503 at once'),
  BUS_MAX_REQUESTS_PER_SERVICE: z.coerce
    .number()
    .int()
    .min(1)
    .default(128)
    .describe('Maximum of concurrent requests to one service, so that a service that hangs does not take all of them'),
  MAX_BACKLOG_MS: z.coerce
    .number()
    .int()
    .min(10)
    .max(60_000)
    .default(100)
    .describe(
      'How long a request may have waited for the event loop, in ms. While there are 64 concurrent requests or ' +
        'more, requests that waited longer are refused with 503 at once',
    ),
  PAGE_TOKEN_KEY: keyFromEnv.describe('Secret: encrypts page tokens; the same for every replica'),
  PAGE_TOKEN_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another PAGE_TOKEN_KEY whose page tokens are accepted, before, during and after a rotation'),
  RATE_LIMITS: rateLimitsSchema.describe(
    'Requests per minute by rate limit class, such as `claim=1200,read=60000`; `all=…` for every class that is not ' +
      'listed. Per address, app or person, for all replicas together: docs/runbook.md',
  ),
  SECURITY_CONTACT: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((contact) => contact.trim())
        .filter(Boolean),
    )
    .refine(
      (contacts) =>
        contacts.every((contact) => URL.canParse(contact) && /^(https|mailto|tel):[\x21-\x7e]+$/.test(contact)),
      'must be addresses such as mailto:security@id.example or https://id.example/security, comma separated',
    )
    .default([])
    .describe(
      'Where people report a vulnerability of this deployment, comma separated, the preferred one first: ' +
        '`/.well-known/security.txt` names them (RFC 9116). Empty: there is no such file',
    ),
  SECURITY_EXPIRES: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Until when SECURITY_CONTACT is certain to be right; without it 30 days from today, every day anew'),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((network) => network.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])))
    .default([])
    .describe(
      'Addresses and networks of the proxies in front of Holdfast, comma separated: their X-Forwarded-For counts, ' +
        'from its end. List proxies only, and such that append the address of their client or replace the header: a ' +
        'client in a listed network chooses the address that limits count and the audit log records. Empty: no proxy ' +
        'is trusted',
    ),
});
export type GatewayConfig = z.output<typeof configSchema>;
