import type { z } from 'zod';
import type { Action } from '../audit/actions.js';
import { idempotencyErrors } from '../contract.js';
import type { ErrorCode } from '../errors.js';
import type { Operation, PersonOperation, ReceiverScope } from '../operations.js';

/** Rate limits of public endpoints; the gateway has their numbers (limit-classes.ts). */
export type PublicLimitClass = 'token' | 'authorize' | 'sign_in' | 'claim' | 'presence' | 'metadata' | 'page' | 'probe';

/** What a caller must hold: the scope of an app, and what a person needs instead of it. */
export interface NeededOperation {
  operation: Operation | PersonOperation | ReceiverScope;
  personOperation?: PersonOperation | undefined;
}

/** The operation that a caller of this type must hold. */
export function neededBy(caller: 'app' | 'person', { operation, personOperation }: NeededOperation): string {
  return caller === 'person' && personOperation ? personOperation : operation;
}

/** A successful response of an endpoint. */
export interface EndpointResponse {
  description: string;
  schema?: z.ZodType;
  /** Further media types besides JSON. */
  media?: readonly string[];
  headers?: Record<string, string>;
}

/** Examples for the API reference. A test validates each with the schemas that validate requests and responses. */
export interface Examples {
  /** Of the request body, by name. */
  body?: Record<string, { summary: string; value: unknown }>;
  response?: unknown;
  /** The response as text, for endpoints that also respond with text. */
  text?: string;
}

/** `noStepUp` of a change that takes something away. */
export const endsRights = 'it only ends rights, which must not wait in an incident';

/** `problem`: RFC 9457. `oauth`: RFC 6749 §5.2, for errors that it names. */
export type ErrorForm = 'problem' | 'oauth';

/**
 * The one declaration of an endpoint: guard, rate limit, validation, audit record and API reference all read it. It
 * stands beside its contract (forwarded.ts), or beside the controller method that sends more than one request. Nest's
 * metadata leads from the method to it, so the gateway keeps no list. The start-up assertions (endpoint-assertion.ts)
 * hold each declaration to the rules below.
 */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  /** `operationId` in OpenAPI: the method name in generated clients. */
  id: string;
  /** `PATCH` has the semantics of RFC 7396: only the given members change, null removes. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** With parameters in braces, as in OpenAPI: `/o/{shortId}/…`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * The operation that the token of the app must hold as a scope, or the person by a role. Every endpoint has either
   * this or `public`. No app can hold one that is for people only.
   */
  operation?: Operation | PersonOperation | ReceiverScope;
  /** The operation that a person must hold instead, where roles divide what one scope of an app allows. */
  personOperation?: PersonOperation | undefined;
  /** Why the endpoint needs no access token. */
  public?: string;
  /**
   * A further scope that this body needs. Checked before the body is validated: a missing scope (403) takes precedence
   * over invalid input (422).
   */
  bodyOperation?: (json: unknown) => NeededOperation | undefined;
  /**
   * The change widens rights, so a person must have signed in a short time ago (RFC 9470); a function decides by the
   * body, the service by what is stored. Programs are not concerned.
   */
  stepUp?: true | 'service decides' | ((json: unknown) => boolean);
  /**
   * Why a person makes this change however long ago they signed in. Each change that people can make has either this or
   * `stepUp`: otherwise an open session that somebody takes over creates access that lasts longer than the session.
   */
  noStepUp?: string;
  /** Audit action of its requests. Every endpoint has either this or `unrecorded`. */
  action?: Action;
  /** Why its requests leave no audit record. Only public endpoints may. */
  unrecorded?: string;
  /** Set when auth writes the audit record, because only auth learns who makes the request. */
  recorder?: 'auth';
  /**
   * Rate limit of a public endpoint. Endpoints that need a token are limited per app, by their method
   * (limit-classes.ts).
   */
  limit?: PublicLimitClass;
  /**
   * For a public endpoint with an `action`: errors that each get an audit record, because only somebody with a genuine
   * link or token can cause them. All others are counted per minute, so that invalid requests cannot flood the log.
   */
  recordEach?: ErrorCode[];
  /**
   * For a public endpoint that changes nothing: the action under which its successful requests are counted per minute,
   * with an anonymous actor. A change is recorded by the service that makes it.
   */
  countAs?: Action;
  params?: Params;
  query?: Query;
  /** A missing body is read as `{}`; an endpoint that needs one requires members in this schema. */
  body?: Body;
  /**
   * The endpoint takes an Idempotency-Key. Required of every change that an app can make; endpoint() adds the errors
   * and the header that follow from it.
   */
  idempotent?: true;
  /** Why a repeat of a request that is no GET is safe without an Idempotency-Key. */
  repeatIsSafe?: string;
  /** Its responses carry the version as `ETag`, and a change with another version in `If-Match` is refused. */
  versioned?: true;
  responses: Record<number, EndpointResponse>;
  /** Besides the errors that every endpoint can respond with. */
  errors?: ErrorCode[];
  /** A body that can be parsed and is invalid is 400 as well, as the standard of the endpoint says; by default 422. */
  invalidBody?: 400;
  /** Default: `problem`. */
  errorForm?: ErrorForm;
  /** Why it is not in the published API reference: only our own pages call it, and it changes with them. */
  internal?: string;
  /** For endpoints that auth validates: members of the OpenAPI operation, used as they are. */
  reference?: Record<string, unknown>;
  examples?: Examples;
}

export interface InputOf<E extends Endpoint> {
  params: E extends Endpoint<infer P> ? z.output<P> : never;
  query: E extends Endpoint<z.ZodType, infer Q> ? z.output<Q> : never;
  body: E extends Endpoint<z.ZodType, z.ZodType, infer B> ? z.output<B> : never;
  idempotencyKey?: string;
  /** Versions of `If-Match`; none when no version matches, absent when every version does. */
  ifVersions?: number[];
}

export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declared: Endpoint<P, Q, B>,
): Endpoint<P, Q, B> {
  const { idempotent, versioned, method, stepUp } = declared;
  if (!idempotent && !versioned && !stepUp) return declared;
  const more: ErrorCode[] = [
    ...(stepUp ? (['step_up_required'] as const) : []),
    ...(idempotent ? idempotencyErrors : []),
    ...(takesIfMatch({ versioned, method }) ? (['precondition_failed'] as const) : []),
  ];
  const headers = {
    ...(idempotent && {
      'Idempotency-Replayed':
        '`true` when this is the response of an earlier request with this key, and nothing was done again',
    }),
    ...(versioned && { ETag: 'Version of the object, for `If-Match`' }),
  };
  const responses = Object.fromEntries(
    Object.entries(declared.responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...response.headers, ...(status === '204' ? withoutETag(headers) : headers) } },
    ]),
  );
  const errors = [...(declared.errors ?? []), ...more.filter((code) => !declared.errors?.includes(code))];
  return { ...declared, errors, responses };
}

/** For `stepUp`: whether the body, which is not validated yet, has this member. */
export function hasMember(json: unknown, member: string): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, member);
}

/** A response without content has no version. */
function withoutETag({ ETag: _, ...headers }: Record<string, string>): Record<string, string> {
  return headers;
}

/** Media types of a JSON body: a patch may say that it is one (RFC 7396). */
export function jsonTypesOf(method: Endpoint['method']): readonly string[] {
  return method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json'];
}

/** A change of one object can name the version that it means. */
export function takesIfMatch({ versioned, method }: Pick<Endpoint, 'versioned' | 'method'>): boolean {
  return versioned === true && (method === 'PATCH' || method === 'DELETE');
}

/** `GET /o/{shortId}/…`: identifies an endpoint among all others. */
export function routeOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
