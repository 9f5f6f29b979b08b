import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ValidationIssue } from '@holdfast/contracts';
import { jsonTypesOf, takesIfMatch, type Endpoint, type InputOf } from '@holdfast/contracts/http';
import { AppError, isRepeated, readJson, unprocessable, validationIssues } from '@holdfast/platform';
import { requireOperation } from '../access/access.guard.js';
import { requireRecentSignIn } from '../access/step-up.js';
import { ENDPOINT } from '../endpoints/route.js';

/** Largest request body (product §3); the bodies of this API are far smaller. */
const maxBodyBytes = 100_000;

/**
 * The validated input of the endpoint. Invalid parameters and headers are 400; a body that parses and is invalid is
 * 422, or 400 where a standard says so.
 */
export const Input = createParamDecorator((_: unknown, context: ExecutionContext) => readInput(context));

/** @throws invalid_request, insufficient_scope, and the errors of reading a body */
export async function readInput(context: ExecutionContext): Promise<InputOf<Endpoint>> {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const declared = Reflect.getMetadata(ENDPOINT, context.getHandler()) as Endpoint;
  const { method, params, query, body, idempotent, bodyOperation, stepUp, invalidBody } = declared;
  // The body is read only now, after the guard: an unauthorized sender cannot make the gateway read or parse it.
  const json =
    body && request.body
      ? await readJson(request.body as IncomingMessage, { maxBytes: maxBodyBytes }, jsonTypesOf(method))
      : undefined;
  const needed = bodyOperation?.(json);
  if (needed) requireOperation(request.requestContext.claims!, needed);
  if (typeof stepUp === 'function' && stepUp(json)) requireRecentSignIn(request.requestContext);
  const parsedParams = params ? parameters(params, request.params) : {};
  const parsedQuery = parameters(query, request.query);
  const idempotencyKey = idempotent ? idempotencyKeyOf(request) : undefined;
  const ifVersions = takesIfMatch(declared) ? ifVersionsOf(request) : undefined;
  return {
    params: parsedParams,
    query: parsedQuery,
    body: body && bodyOf(body, json, invalidBody),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(ifVersions && { ifVersions }),
  };
}

function parameters(schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) {
    const names = Object.keys(given ?? {});
    if (names.length > 0)
      throw invalidRequest(names.map((parameter) => ({ parameter, detail: 'is not a known parameter' })));
    return {};
  }
  const result = schema.safeParse(given ?? {});
  if (result.success) return result.data;
  const issues = validationIssues(result.error.issues).map(({ pointer, detail }) => ({
    parameter: decodeURIComponent(pointer.split('/')[1] ?? ''),
    detail,
  }));
  throw invalidRequest(issues);
}

function bodyOf(schema: z.ZodType, json: unknown, invalidBody: Endpoint['invalidBody']): unknown {
  const result = schema.safeParse(json === undefined ? {} : json);
  if (result.success) return result.data;
  const issues = validationIssues(result.error.issues);
  throw invalidBody ? invalidRequest(issues) : unprocessable(issues);
}

/** An RFC 8941 string, or the bare text that most clients send. */
function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const text = String(given);
  const key = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? text;
  if (isRepeated(request.raw, 'idempotency-key') || !/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    throw invalidRequest([
      { header: 'Idempotency-Key', detail: 'must be given once, with 1 to 255 printable ASCII characters' },
    ]);
  }
  return key;
}

/** RFC 9110 §13.1.1. A tag that no version has, or a weak one, matches none. */
function ifVersionsOf(request: FastifyRequest): number[] | undefined {
  const given = request.headers['if-match'];
  if (given === undefined || given.trim() === '*') return undefined;
  const tags = given.split(',').map((tag) => tag.trim());
  if (tags.length > 20 || !tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag)))
    throw invalidRequest([
      { header: 'If-Match', detail: 'must be * or the ETag of an earlier response in quotes, or up to 20 of them' },
    ]);
  return tags.flatMap((tag) => /^"(\d{1,9})"$/.exec(tag)?.[1] ?? []).map(Number);
}

/** 400: a parameter or header has the wrong form. */
export function invalidRequest(errors: ValidationIssue[]): AppError {
  return new AppError('invalid_request', undefined, { errors });
}
