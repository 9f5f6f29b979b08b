import { errorCatalogue, type ErrorCode } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { problemOf } from '../edge/problems/problem.js';
import type { Json } from './json-schema.js';

const requestId = '019aa5f2-7c1e-7b3a-9d54-0c2f1f3e8a77';
const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

export const problemSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457). Branch on `code`; `detail` is for people and may change.',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained' },
    title: { type: 'string', description: 'What the code means, always the same text for a code' },
    status: { type: 'integer', description: 'The HTTP status of the response' },
    detail: { type: 'string', description: 'What is wrong with this request, and what to do' },
    instance: { type: 'string', description: 'Identifies this occurrence' },
    code: {
      type: 'string',
      enum: Object.keys(errorCatalogue),
      description: 'The code to branch on. The list may grow; a code keeps its meaning',
    },
    requestId: {
      type: 'string',
      description:
        '`X-Request-Id` of the request, or the id that replaced it. Log lines have the id of the header ' +
        '`Holdfast-Request-Id`',
    },
    errors: {
      type: 'array',
      description:
        'The validation issues of the input: each has one of `pointer`, `parameter` and `header`, and what is wrong',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer into the body, as a fragment' },
          parameter: { type: 'string', description: 'Name of a parameter of the path or the query' },
          header: { type: 'string', description: 'Name of a header' },
          detail: { type: 'string', description: 'What is wrong there' },
        },
        required: ['detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'code', 'requestId'],
};

export const problemHeaders = {
  'WWW-Authenticate': {
    description: 'The required kind of token, and the missing scope (RFC 6750 §3, RFC 9728)',
    schema: { type: 'string' },
  },
  'DPoP-Nonce': {
    description: 'With `use_dpop_nonce`: the nonce that the next DPoP proof needs (RFC 9449 §9)',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds after which to try again', schema: { type: 'integer' } },
};

/** An example of each code, by `code`; the 422 of `invalid_request` has one more. */
export function problemExamples(baseUrl: string): Json {
  const issues = {
    400: [{ parameter: 'limit', detail: 'must be a whole number from 1 to 200' }],
    422: [{ pointer: '#/offerExpiresIn', detail: 'must be 600 to 2592000 seconds' }],
  };
  const example = (
    code: ErrorCode,
    status: number,
    errors = code === 'invalid_request' ? issues[status as 400 | 422] : undefined,
  ) => ({
    summary: errorCatalogue[code].title,
    value: problemOf(new AppError(code, undefined, { status, ...(errors && { errors }) }), requestId, baseUrl),
  });
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  return {
    ...Object.fromEntries(codes.map((code) => [code, example(code, errorCatalogue[code].status)])),
    'invalid_request-422': example('invalid_request', 422),
  };
}

/** Error responses of an endpoint, by status. `invalid_request` is 400, or 422 for a body that can be parsed. */
export function problemResponses(codes: readonly ErrorCode[], hasBody: boolean): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const statuses = code === 'invalid_request' && hasBody ? [400, 422] : [errorCatalogue[code].status];
    for (const status of statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [String(status), problemResponse(status, list)]),
  );
}

function problemResponse(status: number, codes: ErrorCode[]): Json {
  const nameOf = (code: ErrorCode) => (code === 'invalid_request' && status === 422 ? 'invalid_request-422' : code);
  const challenge =
    status === 401 || status === 403 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } } : {};
  const nonce = codes.includes('use_dpop_nonce') ? { 'DPoP-Nonce': { $ref: '#/components/headers/DPoP-Nonce' } } : {};
  const retryAfter =
    status === 503 || status === 429 || codes.includes('idempotency_in_progress')
      ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }
      : {};
  return {
    description: codes.map((c) => `\`${c}\`: ${errorCatalogue[c].title}.`).join(' '),
    headers: { ...requestIdHeader, ...challenge, ...nonce, ...retryAfter },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [nameOf(code), { $ref: `#/components/examples/${nameOf(code)}` }]),
        ),
      },
    },
  };
}
