import { applyDecorators, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import { idempotencyErrors, type Action, type ErrorCode, type Operation } from '@holdfast/contracts';
import type { PublicLimitClass } from '../access/rate-limits/limit-classes.js';

/** A success answer of an endpoint. */
export interface Answer {
  description: string;
  schema?: z.ZodType;
  /** Other forms than JSON in which it comes. */
  media?: readonly string[];
  headers?: Record<string, string>;
}

/** `problem`: RFC 9457. `oauth`: RFC 6749 §5.2, as far as that has a word for it. */
export type ErrorForm = 'problem' | 'oauth';

/**
 * One endpoint, declared once: the guard, the validation, the audit record and the API reference all read this.
 * An endpoint without `operation` is public and must stand on the list in public-routes.ts. Every endpoint has an
 * `action` or says why it is `unrecorded`. What succeeds on a public one is recorded by the handler of the change, what
 * is refused by the gateway, as anonymous.
 */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  /** By which generated clients call it. */
  id: string;
  method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS';
  /** In the specification's way of writing: `/o/{shortId}/…`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  operation?: Operation;
  /**
   * A further operation that a body needs; asked of the body as it was read, since a missing scope comes before an
   * invalid input.
   */
  bodyOperation?: (json: unknown) => Operation | undefined;
  action?: Action;
  /** Who records its calls, when neither the gateway nor the handler of a change does: auth knows who they are. */
  recorder?: 'auth';
  /**
   * Which rate limit a public endpoint falls under; the gateway does not start without. One that asks for a token is
   * limited per app, by its method (limit-classes.ts).
   */
  limit?: PublicLimitClass;
  /** Why its calls leave no record: whom do they not act for? */
  unrecorded?: string;
  /**
   * Of a public endpoint with an `action`: refusals that each get a record, since not everybody can cause them. All
   * others are counted by the minute: whoever sends rubbish must not be able to fill the log with it.
   */
  recordEach?: ErrorCode[];
  /**
   * Of a public endpoint that changes nothing: the action under which its successes are counted by the minute, as
   * anonymous. A change has its record from its handler.
   */
  countAs?: Action;
  params?: Params;
  query?: Query;
  /** Every body is optional: an endpoint that needs one says so by its schema. */
  body?: Body;
  /**
   * An Idempotency-Key makes a repeat safe. True of every change that an app can make (endpoint() adds what follows
   * from it).
   */
  idempotent?: true;
  answers: Record<number, Answer>;
  /** Besides those that every endpoint may answer. */
  errors?: ErrorCode[];
  /** `problem` unless said otherwise. */
  errorForm?: ErrorForm;
  /** Why it is no part of the published description: only pages of ours call it, and it changes with them. */
  internal?: string;
  /** Of what is handed on and not validated here: members of the OpenAPI operation, as they stand. */
  reference?: Record<string, unknown>;
}

export interface InputOf<E extends Endpoint> {
  params: E extends Endpoint<infer P> ? z.output<P> : never;
  query: E extends Endpoint<z.ZodType, infer Q> ? z.output<Q> : never;
  body: E extends Endpoint<z.ZodType, z.ZodType, infer B> ? z.output<B> : never;
  idempotencyKey?: string;
}

/** Metadata key of a controller's method. */
export const ENDPOINT = Symbol('endpoint');
/** Injection token of all endpoints. */
export const ENDPOINTS = Symbol('endpoints');

export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declared: Endpoint<P, Q, B>,
): Endpoint<P, Q, B> {
  if (!declared.idempotent) return declared;
  const errors = [...(declared.errors ?? []), ...idempotencyErrors.filter((code) => !declared.errors?.includes(code))];
  const answers = Object.fromEntries(
    Object.entries(declared.answers).map(([status, answer]) => [
      status,
      {
        ...answer,
        headers: {
          ...answer.headers,
          'Idempotency-Replayed':
            '`true` when this is the answer of an earlier request with this key, and nothing was done again',
        },
      },
    ]),
  );
  return { ...declared, errors, answers };
}

/** Makes a controller's method the one that answers an endpoint. */
export function Route(declared: Endpoint): MethodDecorator {
  return applyDecorators(
    RequestMapping({ method: RequestMethod[declared.method], path: nestPath(declared.path) }),
    SetMetadata(ENDPOINT, declared),
  );
}

/** `{shortId}` as the router writes it: `:shortId`. */
export function nestPath(path: string): string {
  return path.replace(/\{([A-Za-z]+)\}/g, ':$1');
}
