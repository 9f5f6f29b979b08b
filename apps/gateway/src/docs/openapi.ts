import { z } from 'zod';
import { neverGrantable, operations, receiverScopes, type ErrorCode } from '@holdfast/contracts';
import {
  jsonTypesOf,
  takesIfMatch,
  type Endpoint,
  type EndpointResponse,
  type Examples,
} from '@holdfast/contracts/http';
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

const tags: Record<string, string> = {
  OAuth: 'How an app gets a token, and the metadata for clients. Errors are those of RFC 6749, not problem documents.',
  'Customer credentials':
    'Offers to customers, and the customers that the calling app has made offers to. Other apps of the organization ' +
    'never see them.',
  'Admin API: apps':
    'The apps of the organization. Programs manage apps that hold no scope; people with the right to manage grants ' +
    'do the rest.',
  'Admin API: organization': 'The name of the organization, and what its pages show. No program can change it.',
  'Admin API: users': 'The people of the organization: invitations, roles, passkeys, recovery and removal.',
  'Admin API: own account': 'What a person does with their own account. No program can.',
  'Admin API: groups': 'Groups of people and their members. A group gives access to the apps to which it is assigned.',
  'Admin API: entitlements': 'Who can use which app now, and by which path.',
  'Admin API: access requests': 'Access to apps that people request for a time, and who approves or denies it.',
  'Admin API: audit': "The organization's audit log: every action of every caller, reads and denied requests included.",
  'Admin API: analytics': 'What the audit log means in numbers, over time.',
  'Admin API: events': 'Events of customers, credentials and apps; each reader continues from its last position.',
  'Admin API: webhooks': 'Where events are sent, what became of each message, and how to send it again.',
  'Admin API: Shared Signals': 'Receivers of security events, their streams, and what became of each token.',
  'Shared Signals':
    'The transmitter of security events (SSF 1.0 with CAEP and RISC), for receivers: streams, push and poll.',
  'Proof of presence':
    'Proves that a person used the sign-up form: a challenge for the form, and the widget that solves it.',
  Invitation: 'Called by the page of an invitation link. Public: the token of the link is in the body.',
  Claim: 'Called by the page of a claim link. Public: the token of the link is in the body.',
  'OpenID Connect':
    "The organization's issuer: sign-in of customers by any standard client. Errors are those of RFC 6749 and " +
    'OpenID Connect, not problem documents.',
  Reference: 'This description, also as pages.',
  Health: 'For load balancers and supervisors.',
};

const introduction = [
  '**A first call.** Get a token at `/oauth2/token` with the client ID and client secret of an app, then make ' +
    'an offer. Its `claimUrl` is for the customer; Holdfast sends nothing.',
  '**Conventions.** Times are RFC 3339 in UTC with milliseconds. An absent optional field is left out, never ' +
    'null. Unknown request members and parameters are rejected; responses may get further members. Errors are ' +
    'problem documents (RFC 9457) with a `code` to branch on; [every code is explained](/docs/errors). A browser ' +
    'that navigates to an address outside of the API gets a page instead.',
  '**Reading what was written.** After the response to a change, every read by any app shows it. A read that ' +
    'cannot guarantee this responds 503 with `Retry-After`, never with an old state.',
  '**Rate limits.** Per app, and per address on public routes: responses carry `RateLimit-Policy` and ' +
    '`RateLimit` (draft-ietf-httpapi-ratelimit-headers), a 429 `Retry-After`.',
  '**Order of checks.** Token or session (401), rate limit (429), organization (403), scope (403), parameters and ' +
    'body (400, 422), object (404, the same whether it belongs to another app or does not exist).',
].join('\n\n');

/** The OpenAPI 3.1 description, generated from the declarations that guard and validate. */
export function openApi(endpoints: readonly Endpoint[], baseUrl: string): Json {
  const schemas: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  // CORS preflights are sent by browsers themselves, and internal endpoints are called by our own pages only.
  const published = endpoints.filter((e) => e.method !== 'OPTIONS' && e.internal === undefined);
  for (const endpoint of published) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) };
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
