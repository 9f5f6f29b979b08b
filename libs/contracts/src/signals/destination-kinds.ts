import { z } from 'zod';
import { readableText } from '../readable-text.js';
import { headerName, headerValue, receiverUrl } from './receivers.js';

/**
 * Where and how each kind of destination receives the audit log: its settings, which everybody who may manage it can
 * read, and its credentials, which nobody can read again. A further kind is a schema here and a file in
 * `apps/signals/src/audit-destinations/kinds`.
 */

const url = receiverUrl('https://siem.example/holdfast');
/** A value of a header or of a JSON string: visible characters. */
const token = (maxLength: number) =>
  z
    .string()
    .regex(new RegExp(`^[\\x21-\\x7e]{1,${maxLength}}$`), `must have 1 to ${maxLength} visible ASCII characters`);
const label = (maxLength: number) => readableText(maxLength);
const compression = {
  compression: z
    .literal('gzip')
    .optional()
    .describe('`gzip`: bodies are compressed (`Content-Encoding`); not compressed when left out'),
};

const https = {
  settings: z.strictObject({
    url: url.describe('Where the batches are sent by POST'),
    encoding: z
      .enum(['json', 'ndjson', 'cloudevents'])
      .default('json')
      .describe(
        '`json`: a JSON array, as libraries of Standard Webhooks read it; `ndjson`: one JSON object per line; ' +
          '`cloudevents`: a JSON array of CloudEvents 1.0',
      ),
    ...compression,
  }),
  /** Generated: the secret that signs what is sent (Standard Webhooks). */
  credentials: undefined,
};

const splunkHec = {
  settings: z.strictObject({
    url: url.describe('Address of Splunk, without path: https://splunk.example:8088'),
    index: label(80).optional().describe('Index; the default of the token when left out'),
    source: label(200).default('holdfast').describe('Value of `source`'),
    sourcetype: label(200).default('holdfast:audit').describe('Value of `sourcetype`'),
    ...compression,
  }),
  credentials: z.strictObject({ token: token(200).describe('Token of the HTTP Event Collector') }),
};

const elasticsearch = {
  settings: z.strictObject({
    url: url.describe('Address of Elasticsearch or OpenSearch, without path of an index'),
    index: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,199}$/, 'must have lower-case letters, digits, dots, hyphens and underscores')
      .describe('Index, data stream or alias'),
    ...compression,
  }),
  credentials: z.union([
    z.strictObject({ apiKey: token(1000).describe('API key as Elasticsearch shows it: id and key in base64') }),
    z.strictObject({
      username: token(200).describe('User of basic authentication'),
      password: z.string().min(1).max(500).describe('Its password'),
    }),
  ]),
};

const datadog = {
  settings: z.strictObject({
    url: url
      .default('https://http-intake.logs.datadoghq.com')
      .describe('Log intake of the Datadog site, such as https://http-intake.logs.datadoghq.eu'),
    service: label(100).default('holdfast').describe('Value of `service`'),
    tags: label(500).optional().describe('Value of `ddtags`, such as `env:prod,team:security`'),
    ...compression,
  }),
  credentials: z.strictObject({ apiKey: token(200).describe('API key of Datadog') }),
};

const otlpHttp = {
  settings: z.strictObject({
    url: url.describe('Endpoint for logs, with its path: https://collector.example/v1/logs'),
    ...compression,
  }),
  credentials: z
    .strictObject({
      headers: z
        .record(headerName, headerValue)
        .refine((headers) => Object.keys(headers).length <= 10, 'must have at most 10 headers')
        .describe('Headers of each request, such as `authorization`'),
    })
    .optional(),
};

const syslog = {
  settings: z.strictObject({
    host: z
      .string()
      .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an IP address')
      .describe('Host of the receiver; its certificate must be for this name'),
    port: z.int().min(1).max(65_535).default(6514).describe('Port of syslog over TLS (RFC 5425)'),
    facility: z.int().min(0).max(23).default(13).describe('Facility of the messages; 13 is the log audit'),
    caCertificate: z
      .string()
      .max(20_000)
      .regex(/^\s*-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\s*$/, 'must be certificates in PEM')
      .optional()
      .describe('Certificates (PEM) that the receiver must prove itself by, instead of the public authorities'),
  }),
  credentials: undefined,
};

export const destinationKinds = {
  https,
  splunk_hec: splunkHec,
  elasticsearch,
  datadog,
  otlp_http: otlpHttp,
  syslog,
} as const;
export type DestinationKindName = keyof typeof destinationKinds;
export const destinationKindNames = Object.keys(destinationKinds) as [DestinationKindName, ...DestinationKindName[]];

export type DestinationSettings<K extends DestinationKindName> = z.output<(typeof destinationKinds)[K]['settings']>;
export type DestinationCredentials<K extends DestinationKindName> =
  (typeof destinationKinds)[K]['credentials'] extends z.ZodType
    ? z.output<(typeof destinationKinds)[K]['credentials']>
    : undefined;
