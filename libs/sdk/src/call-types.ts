import type { Operations } from '@holdfast/api-client';

export interface Route {
  method: string;
  path: string;
  /** The operation that the app must have been granted. */
  scope: string;
  /** Whether it accepts an Idempotency-Key, so that a repeat changes nothing again. */
  isRepeatable: boolean;
}

export interface CallOptions {
  /** Makes repeats safe beyond one call, for 24 hours: after your process has ended, say. Default: a new key a call. */
  idempotencyKey?: string;
  /** Fails with `precondition_failed` when the object has another `ETag`. */
  ifMatch?: string;
  /** Your own id of the request, which the response and the audit record have. */
  requestId?: string;
  /** Ends the call, and its repeats. */
  signal?: AbortSignal;
}

type OperationId = keyof Operations;
type Path<O extends OperationId> = Omit<Exclude<Operations[O]['parameters']['path'], undefined>, 'shortId'>;
type Query<O extends OperationId> = Exclude<Operations[O]['parameters']['query'], undefined>;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;

type PathMember<O extends OperationId> = [keyof Path<O>] extends [never] ? unknown : { path: Path<O> };
type QueryMember<O extends OperationId> = [Query<O>] extends [never]
  ? unknown
  : Partial<Query<O>> extends Query<O>
    ? { query?: Query<O> }
    : { query: Query<O> };
type BodyMember<O extends OperationId> = Operations[O] extends { requestBody: infer Request }
  ? { body: Json<Request> }
  : Operations[O] extends { requestBody?: infer Request }
    ? [Json<Exclude<Request, undefined>>] extends [never]
      ? unknown
      : { body?: Json<Exclude<Request, undefined>> }
    : unknown;

/** What a call needs: `path`, `query` and `body` of the API reference. The organization is that of the client. */
export type CallParameters<O extends OperationId> = PathMember<O> & QueryMember<O> & BodyMember<O> & CallOptions;

type Success<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 204)];

/** What a successful response has: its JSON, or undefined. */
export type CallResult<O extends OperationId> =
  Success<Operations[O]['responses']> extends infer Response
    ? Response extends { content: { 'application/json': infer Body } }
      ? Body
      : undefined
    : never;

/** @throws ApiError when Holdfast rejects it, UnavailableError when it cannot be reached or cannot answer */
export type Call<O extends OperationId> =
  Partial<CallParameters<O>> extends CallParameters<O>
    ? (parameters?: CallParameters<O>) => Promise<CallResult<O>>
    : (parameters: CallParameters<O>) => Promise<CallResult<O>>;

/** The same at run time, for every operation. */
export interface AnyParameters extends CallOptions {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}
