import { errorCatalogue, operations, type ErrorCode } from '@holdfast/contracts';
import { z } from 'zod';
import type { Answer, Endpoint } from '../routing/endpoint.js';

/** Codes that every guarded endpoint may answer. */
const always: ErrorCode[] = ['missing_token', 'invalid_token', 'wrong_organization', 'insufficient_scope', 'invalid_request', 'unavailable', 'internal'];

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 description, from the very declarations that guard and validate. */
export function openApi(endpoints: readonly Endpoint[], baseUrl: string): Json {
  const schemas: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  // What a browser asks by itself before a request (CORS) is nothing that anybody calls.
  for (const endpoint of endpoints.filter((e) => e.method !== 'OPTIONS')) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Holdfast',
      version: '1.0.0',
      description:
        'Passwordless customer credentials and the Admin API. Times are RFC 3339 in UTC with milliseconds; an absent optional field is left out, never null; ' +
        'unknown request members are refused. Errors are problem details (RFC 9457): branch on `code`. Every code is explained at /docs/errors.',
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(endpoints.map((e) => e.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        clientCredentials: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: `${baseUrl}/oauth2/token`, scopes: operations } } },
      },
      responses: { Problem: problemResponse },
      headers: {
        'X-Request-Id': { description: 'Id of the request: the one sent, or a new one. It stands in every log line, event and audit record.', schema: { type: 'string' } },
      },
    },
  };
}

function operationOf(endpoint: Endpoint, schemas: Json): Json {
  const { tag, summary, description, operation, body, answers, errors = [] } = endpoint;
  const codes = operation ? [...always, ...errors] : errors;
  return {
    operationId: operationId(endpoint),
    tags: [tag],
    summary,
    ...(description && { description }),
    security: operation ? [{ clientCredentials: [operation] }] : [],
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query'), ...headersOf(endpoint)],
    ...(body && { requestBody: { required: false, content: { 'application/json': { schema: schemaOf(body, schemas, 'input') } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, schemas)])),
      ...Object.fromEntries([...statusesOf(codes)].map(([status, list]) => [status, { ...problemResponse, description: list.map((c) => `\`${c}\`: ${errorCatalogue[c].title}.`).join(' ') }])),
    },
  };
}

/** `invalid_request` stands for both: 400 for what cannot be read, 422 for what is not acceptable. */
function statusesOf(codes: ErrorCode[]): Map<string, ErrorCode[]> {
  const byStatus = new Map<string, ErrorCode[]>();
  for (const code of codes) {
    for (const status of code === 'invalid_request' ? ['400', '422'] : [String(errorCatalogue[code].status)]) {
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
  }
  return new Map([...byStatus].sort());
}

function operationId({ method, path }: Endpoint): string {
  const words = path.split('/').filter((part) => part && !part.startsWith('{') && !['o', 'api'].includes(part));
  const one = path.endsWith('}') ? 'ById' : '';
  return method.toLowerCase() + words.map((w) => w.replace(/(^|[^A-Za-z0-9])([a-z0-9])/gi, (_, __, c: string) => c.toUpperCase())).join('') + one;
}

function answerOf({ description, schema, headers = {} }: Answer, schemas: Json): Json {
  const declared = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]));
  return {
    description,
    headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...declared },
    ...(schema && { content: { 'application/json': { schema: schemaOf(schema, schemas, 'output') } } }),
  };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, { description, parameter, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description ? { description } : {}),
    // A query is text; `parameter` says what the text must be.
    schema: parameter ?? rest,
  }));
}

function headersOf({ idempotent }: Endpoint): Json[] {
  const requestId = { name: 'X-Request-Id', in: 'header', required: false, description: 'Your own id of the request, 1 to 128 of `A-Za-z0-9._-`', schema: { type: 'string' } };
  if (!idempotent) return [requestId];
  const description = 'Makes a repeat safe: the same key with the same body gets the same answer for 24 hours';
  return [requestId, { name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string', maxLength: 255 } }];
}

/** Schemas with an id become components and are referred to. */
function schemaOf(schema: z.ZodType, schemas: Json, io: 'input' | 'output'): Json {
  const { $defs, $schema: _, ...top } = z.toJSONSchema(schema, { io, reused: 'inline' }) as Json & { $defs?: Json };
  for (const [name, def] of Object.entries($defs ?? {})) schemas[name] ??= referring(def as Json);
  const { id, ...rest } = referring(top) as Json & { id?: string };
  if (!id) return rest;
  schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

function referring(node: Json): Json {
  return JSON.parse(JSON.stringify(node).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

const problemSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457). Branch on `code`; `detail` is for people and may change.',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCatalogue) },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pointer: { type: 'string', description: 'JSON Pointer into the body' }, parameter: { type: 'string' }, header: { type: 'string' }, detail: { type: 'string' } },
        required: ['detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'code', 'requestId'],
};

const problemResponse = {
  description: 'What went wrong',
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
