import { z } from 'zod';
import { neverGrantable, operations, receiverScopes, type ErrorCode } from '@holdfast/contracts';
import {
  jsonTypesOf,
  takesIfMatch,
  type Endpoint,
  type EndpointResponse,
  type Examples,
} from '@holdfast/contracts/http';
import { codeSamplesOf } from './code-samples.js';
import { introduction, tags } from './introduction.js';
import { jsonSchema, type Json } from './json-schema.js';
import { problemExamples, problemHeaders, problemResponses, problemSchema } from './problems.js';
import { gatewayResponses, sharedResponses } from './shared-responses.js';

/** Errors that every guarded endpoint can respond with. */
const commonErrors: ErrorCode[] = [
  'missing_token',
  'invalid_token',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'wrong_organization',
  'insufficient_scope',
  'invalid_request',
  'rate_limited',
  'unavailable',
  'internal',
];

/** Errors that every public endpoint can respond with. */
const publicErrors: ErrorCode[] = ['rate_limited', 'unavailable', 'internal'];

/** Errors of reading a body. */
const bodyErrors: ErrorCode[] = ['payload_too_large', 'unsupported_media_type', 'request_timeout'];

/** The OpenAPI 3.1 description, generated from the declarations that guard and validate. */
export function openApi(endpoints: readonly Endpoint[], baseUrl: string): Json {
  const schemas: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  // CORS preflights are sent by browsers themselves, and internal endpoints are called by our own pages only.
  const published = endpoints.filter((e) => e.method !== 'OPTIONS' && e.internal === undefined);
  for (const endpoint of published) {
    const { method, path } = endpoint;
    const operation = operationOf(endpoint, schemas);
    const described = { ...operation, ...codeSamplesOf(method, path, operation, baseUrl) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Holdfast',
      version: '1.0.0',
      summary: 'Passwordless customer credentials and the Admin API.',
      description: introduction,
      contact: { name: 'The operator of this deployment', url: baseUrl },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).flatMap(([name, description]) =>
      published.some(({ tag }) => tag === name) ? [{ name, description }] : [],
    ),
    paths,
    components: {
      schemas,
      examples: usedExamples(paths, problemExamples(baseUrl)),
      responses: sharedResponses,
      securitySchemes: {
        clientCredentials: {
          type: 'oauth2',
          description:
            'An access token as `Authorization: Bearer …`, in the header only. It is valid for ten minutes, and is ' +
            'refused within a second after its app was disabled or its grant, secret or key revoked.',
          flows: {
            clientCredentials: { tokenUrl: `${baseUrl}/oauth2/token`, scopes: { ...operations, ...receiverScopes } },
          },
        },
        hubSession: {
          type: 'apiKey',
          in: 'cookie',
          name: `${baseUrl.startsWith('https:') ? '__Host-' : ''}holdfast-{shortId}-hub`,
          description:
            "The session of a person at their organization's hub, with the operations of their roles. Only pages of " +
            'this site can use it: a change needs our own `Origin`. What widens rights needs a sign-in of at most ' +
            'ten minutes ago. Beside an `Authorization` header the cookie does not count.',
        },
        customerToken: {
          type: 'http',
          scheme: 'bearer',
          description: "Access token of a customer, issued by the organization's issuer",
        },
        dpop: {
          type: 'http',
          scheme: 'dpop',
          description:
            'An access token that is bound to a key (RFC 9449), as `Authorization: DPoP …`, with a proof of the key ' +
            'in the header `DPoP`. Such a token is refused as a bearer token, and the reverse.',
        },
        clientBasic: { type: 'http', scheme: 'basic', description: 'Client ID and client secret of the app' },
      },
      headers: {
        'X-Request-Id': {
          description: 'Id of the request: the one sent, or a new one. The audit record of the request has it.',
          schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
        },
        'Api-Version': {
          description: 'The dated version of the API that the calling app uses',
          schema: { type: 'string', format: 'date' },
        },
        RateLimit: {
          description: 'What is left of the rate limit: `r` requests, and `t` seconds until there are more',
          schema: { type: 'string' },
        },
        'RateLimit-Policy': {
          description: 'The rate limit of the route: `q` requests in `w` seconds',
          schema: { type: 'string' },
        },
        ...problemHeaders,
      },
    },
  };
}

/** Examples that a response refers to: linters report unused ones. */
function usedExamples(paths: Record<string, Json>, all: Json): Json {
  const text = JSON.stringify([paths, sharedResponses]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/examples/${name}"`)));
}

function operationOf(endpoint: Endpoint, schemas: Json): Json {
  const { id, tag, summary, description, operation, body, responses, examples, errors = [], errorForm } = endpoint;
  const { parametersMore = [], ...reference } = (endpoint.reference ?? {}) as Json & { parametersMore?: Json[] };
  const general: ErrorCode[] = reference.responses ? [] : publicErrors;
  const hasInput = endpoint.params !== undefined || endpoint.query !== undefined || body !== undefined;
  const codes = [
    ...new Set<ErrorCode>([
      ...(operation ? commonErrors : general),
      ...(hasInput && !reference.responses ? (['invalid_request'] as const) : []),
      ...(operation && isForPeople(operation) ? (['cross_site_request'] as const) : []),
      ...errors,
      ...(body ? bodyErrors : []),
    ]),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description ?? `${summary}.`}${stepUpNoteOf(endpoint)}`,
    security: operation ? securityOf(operation) : [],
    // A session has no scopes in OpenAPI, so the operation of people stands here.
    ...(operation && { 'x-operation': operation }),
    ...(endpoint.personOperation && { 'x-person-operation': endpoint.personOperation }),
    parameters: [
      ...parametersOf(endpoint.params, 'path'),
      ...parametersOf(endpoint.query, 'query'),
      ...parametersMore,
      ...headersOf(endpoint),
    ],
    ...(body && {
      requestBody: {
        // The gateway reads a request without a body as {}.
        required: !body.safeParse({}).success,
        content: Object.fromEntries(
          jsonTypesOf(endpoint.method).map((type) => [
            type,
            { schema: jsonSchema(body, schemas, 'input'), examples: examples?.body },
          ]),
        ),
      },
    }),
    responses: {
      ...problemResponses(codes, body !== undefined && endpoint.invalidBody === undefined),
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          responseOf(response, schemas, examples, operation !== undefined),
        ]),
      ),
    },
    ...reference,
    ...(reference.responses !== undefined && {
      responses: { ...reference.responses, ...gatewayResponses(errorForm, reference.requestBody !== undefined) },
    }),
  };
}

/** People have operations by their roles; the scopes of receivers are for apps only. */
function isForPeople(operation: string): boolean {
  return !(operation in receiverScopes);
}

/** Who may call an endpoint that needs this operation. */
function securityOf(operation: string): Json[] {
  const isForApps = !(neverGrantable as readonly string[]).includes(operation);
  return [
    ...(isForApps ? [{ clientCredentials: [operation] }, { dpop: [] }] : []),
    ...(isForPeople(operation) ? [{ hubSession: [] }] : []),
  ];
}

function stepUpNoteOf({ stepUp }: Endpoint): string {
  if (!stepUp) return '';
  const which = stepUp === true ? 'A person' : 'A person whose change widens rights';
  return ` ${which} must have signed in at most ten minutes ago; otherwise the response is 401 \`step_up_required\`.`;
}

function responseOf(
  { description, schema, media = [], headers = {} }: EndpointResponse,
  schemas: Json,
  { response, text }: Examples = {},
  guarded: boolean,
): Json {
  const declared = Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, { description: text, schema: headerSchemaOf(name) }]),
  );
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(guarded && { 'Api-Version': { $ref: '#/components/headers/Api-Version' } }),
      RateLimit: { $ref: '#/components/headers/RateLimit' },
      'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
      ...declared,
    },
    ...((schema || media.length > 0) && {
      content: {
        ...(schema && { 'application/json': { schema: jsonSchema(schema, schemas, 'output'), example: response } }),
        // Bytes have no schema in OpenAPI 3.1.
        ...Object.fromEntries(
          media.map((type) => [type, type.startsWith('text/') ? { schema: { type: 'string' }, example: text } : {}]),
        ),
      },
    }),
  };
}

/** RFC 9110 §10.2.2: a `Location` may be relative to the address of the request. */
function headerSchemaOf(name: string): Json {
  return name === 'Location' ? { type: 'string', format: 'uri-reference' } : { type: 'string' };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, {}, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, parameter, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description ? { description } : {}),
    // The values of a query are text; `parameter` describes the form of that text.
    schema: parameter ?? rest,
  }));
}

function headersOf(endpoint: Endpoint): Json[] {
  const requestId = {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Your own id of the request: the response and the audit record have it. It has 1 to 128 letters, digits, ' +
      'dots, hyphens and underscores; any other is replaced by a new one. An erasure of the customer ' +
      'deletes it from the audit log; log lines and events only have the id ' +
      "of the response's `Holdfast-Request-Id`",
    // Without a pattern: an id of another form is no error.
    schema: { type: 'string' },
    example: 'order-20261121-0001',
  };
  const ifMatch = {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of an earlier response: with any other version of the object nothing is changed, and the response ' +
      'is 412 `precondition_failed`',
    schema: { type: 'string' },
    example: '"3"',
  };
  const always = takesIfMatch(endpoint) ? [requestId, ifMatch] : [requestId];
  if (!endpoint.idempotent) return always;
  const description =
    'Makes a repeat safe: for 24 hours the same key with the same request gets the same response, with ' +
    '`Idempotency-Replayed: true`, and changes nothing again; with another request it is rejected. A request that ' +
    'was rejected does not consume its key';
  return [
    ...always,
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description,
      schema: { type: 'string', maxLength: 255 },
      example: 'order-20261121-0001',
    },
  ];
}
