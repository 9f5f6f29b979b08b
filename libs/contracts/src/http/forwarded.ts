import { z } from 'zod';
import type { AuditTarget } from '../audit/audit-record.js';
import { shortId } from '../context.js';
import type { Contract } from '../contract.js';
import type { ErrorCode } from '../errors.js';
import type { ValidationIssue } from '../wire-error.js';
import { endpoint, type Endpoint } from './endpoint.js';
import { limitParameter, pageExample, pageSchema, pageTokenParameter } from './paging.js';

/** Who sends a request, as far as a command has to know. */
export interface Caller {
  /** Operations of the caller. */
  operations: readonly string[];
  /** Programs, and people who signed in at most ten minutes ago. */
  signedInRecently: boolean;
  /** Id of the person, or client ID of the app. */
  id: string;
  type: 'app' | 'person';
}

/** Validated input of an endpoint. */
export interface ForwardedInput {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  idempotencyKey?: string;
  ifVersions?: number[];
}

/** An endpoint that the gateway serves by one request to a service. */
export interface Forwarded {
  endpoint: Endpoint;
  contract: Contract;
  /** Of a list: the schema of the sort key in its page token. */
  cursor?: z.ZodType;
  request(input: ForwardedInput, caller: Caller, now: Date): Record<string, unknown>;
  /** Issues of parameters that schemas of single ones cannot find. */
  check?(request: Record<string, unknown>): ValidationIssue[];
  /** Body of the response; undefined for 204. */
  body(reply: unknown): unknown;
  text?: TextResponse;
  targets(input: ForwardedInput, outcome: Outcome | undefined, caller: Caller): AuditTarget[];
  /** Path of what was created. */
  location?(input: ForwardedInput, reply: unknown): string;
}

/** A response as plain text, for callers that prefer it by `Accept`. */
export interface TextResponse<Reply = unknown> {
  of: (reply: Reply) => string;
  example: string;
  /** There is no response in JSON. */
  only?: true;
}

/** What came of a request that was not refused. */
export interface Outcome<Reply = unknown> {
  reply: Reply;
  /** The customer or person concerned by a repeated request; absent once they are erased. */
  dataSubject?: string | undefined;
}

/** Names of the parameters in a path: `/o/{shortId}/groups/{group}` has `shortId` and `group`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Members of an endpoint that are declared as they are. */
const declared = [
  'id',
  'method',
  'path',
  'tag',
  'summary',
  'description',
  'operation',
  'personOperation',
  'action',
  'bodyOperation',
  'stepUp',
  'noStepUp',
  'repeatIsSafe',
  'versioned',
  'invalidBody',
] as const satisfies (keyof Endpoint)[];
type Declaration = Pick<Endpoint, (typeof declared)[number]>;

type ObjectContract = Contract<z.ZodObject, z.ZodType>;
type RequestMember<C extends ObjectContract> = keyof C['request']['shape'] & string;
type Reply<C extends ObjectContract> = z.output<C['reply']>;

/** The body of a request is a member of the contract's request, or a schema whose members are members of it. */
type BodyOf<C extends ObjectContract, B> = B extends z.ZodType
  ? z.output<B>
  : B extends RequestMember<C>
    ? z.output<C['request']['shape'][B]>
    : undefined;

interface Input<C extends ObjectContract, Path extends string, Query extends z.ZodRawShape, B> extends ForwardedInput {
  params: Record<ParameterOf<Path>, string>;
  query: z.output<z.ZodObject<Query>>;
  body: BodyOf<C, B>;
}

interface Options<C extends ObjectContract, Path extends string, Query extends z.ZodRawShape, B> extends Omit<
  Declaration,
  'path' | 'operation'
> {
  /** Parameters that the contract's request has by the same name are described by it. */
  path: Path;
  operation: NonNullable<Endpoint['operation']>;
  /** Schemas of parameters that the contract's request has not, and members that it has by another name. */
  params?: Partial<Record<ParameterOf<Path>, z.ZodType | RequestMember<C>>>;
  /** Filters of a list, besides `limit` and `next_page_token`, which every list has. */
  query?: Query;
  body?: B;
  /** Examples of the body, by name. */
  bodies?: NonNullable<Endpoint['examples']>['body'];
  /** Description of the successful response. */
  response: string;
  status?: 200 | 201 | 202 | 204;
  /** Schema of the response, when it is not what the contract's reply has. */
  schema?: z.ZodType;
  /** The member of the reply that the response has; without it, the whole reply. */
  member?: keyof Reply<C> & string;
  text?: TextResponse<Reply<C>>;
  /** The response has no content, though its status is 200. */
  empty?: true;
  /** Of a list: the name of a page's schema in the API reference, and in which order its items are. */
  page?: string;
  order?: string;
  /** Example of the response; of a list, of one item. */
  example?: unknown;
  /** Errors of the contract that this request cannot cause. */
  without?: readonly ErrorCode[];
  /**
   * The contract's request. Without it: parameters, query and body by their names. What the contract has of
   * `idempotencyKey`, `ifVersions`, `mayManageGrants` and `signedInRecently` is added in either case.
   */
  request?: (input: Input<C, Path, Query, B>, caller: Caller, now: Date) => Record<string, unknown>;
  /** Issues of parameters that depend on each other, found in the contract's request before it is sent: 400. */
  check?: (request: z.output<C['request']>) => ValidationIssue[];
  /**
   * Targets of the audit record. Called before the request is sent, without an outcome, so that the record of a refused
   * request has them; and after it, for a read and for a command that has changed nothing. Of a change the service has
   * written the record.
   */
  targets: (input: Input<C, Path, Query, B>, outcome: Outcome<Reply<C>> | undefined, caller: Caller) => AuditTarget[];
  /** Of what the request has created: `Address of …`, and its path. */
  location?: { of: string; path: (input: Input<C, Path, Query, B>, reply: Reply<C>) => string };
}

/**
 * Declares an endpoint that the gateway serves by one request to a service. Parameters, body, response and errors are
 * those of the contract; the options say what HTTP adds to it.
 */
export function http<
  C extends ObjectContract,
  const Path extends string,
  Query extends z.ZodRawShape = Record<never, never>,
  B extends z.ZodType | string | undefined = undefined,
>(contract: C, options: Options<C, Path, Query, B>): Forwarded {
  const { request } = contract;
  const { path, status = 200, without = [], member, text, empty, check, targets, location } = options;
  const params = paramsOf(request, path, options.params);
  const isList = 'after' in request.shape && 'limit' in request.shape;
  const isIdempotent = 'idempotencyKey' in request.shape;
  const query = { ...options.query, ...(isList && { limit: limitParameter, next_page_token: pageTokenParameter }) };
  const given: z.ZodType | string | undefined = options.body;
  const body = typeof given === 'string' ? memberOf(request, given) : given;
  return {
    contract,
    ...(isList && { cursor: (request.shape.after as z.ZodOptional<z.ZodType>).unwrap() }),
    endpoint: endpoint({
      ...declarationOf(options as Declaration),
      params: z.strictObject(params),
      ...(Object.keys(query).length > 0 && { query: z.strictObject(query) }),
      ...(body && { body }),
      ...(isIdempotent && { idempotent: true }),
      responses: {
        [status]: {
          description: options.response,
          ...(status !== 204 && !empty && !text?.only && { schema: options.schema ?? responseOf(contract, options) }),
          ...(text && { media: ['text/plain'] }),
          ...(location && { headers: { Location: `Address of ${location.of}` } }),
        },
      },
      errors: [...errorsOf(contract, without), ...(isList ? (['invalid_page_token'] as const) : [])],
      examples: {
        ...(options.bodies && { body: options.bodies }),
        ...(options.example !== undefined && {
          response: isList ? pageExample(options.example) : options.example,
        }),
        ...(text && { text: text.example }),
      },
    }),
    request: (input, caller, now) => ({
      ...(options.request?.(input as never, caller, now) ?? requestOf(request, input, options)),
      ...('mayManageGrants' in request.shape && { mayManageGrants: caller.operations.includes('grants:manage') }),
      ...('signedInRecently' in request.shape && { signedInRecently: caller.signedInRecently }),
      ...(isIdempotent && input.idempotencyKey !== undefined && { idempotencyKey: input.idempotencyKey }),
      ...(input.ifVersions && { ifVersions: input.ifVersions }),
    }),
    ...(check && { check }),
    body: (reply) =>
      status === 204 || empty ? undefined : member ? (reply as Record<string, unknown>)[member] : reply,
    ...(text && { text: text as TextResponse }),
    targets,
    ...(location && { location: location.path }),
  };
}

/** The members of an endpoint that are declared as they are. */
function declarationOf(options: Declaration): Declaration {
  return Object.fromEntries(
    declared.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  ) as unknown as Declaration;
}

type GivenParams = Partial<Record<string, z.ZodType | string>>;

/** Schemas of the parameters in a path: those that are given, else those of the contract's request. */
function paramsOf(request: z.ZodObject, path: string, given: GivenParams = {}): Record<string, z.ZodType> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const schemaOf = (name: string) => (name === 'shortId' ? shortId : memberOf(request, name));
  return Object.fromEntries(
    names.map((name) => {
      const schema = given[name] ?? name;
      return [name, typeof schema === 'string' ? schemaOf(schema) : schema];
    }),
  );
}

/** @throws an error when the contract has no such member: a mistake in a declaration, found when it is loaded */
function memberOf(request: z.ZodObject, name: string): z.ZodType {
  const member = request.shape[name] as z.ZodType | undefined;
  if (!member) throw new Error(`The contract's request has no member ${name}`);
  return member;
}

/** The contract's request from parameters and body, by their names; what it has not is left out. */
function requestOf(
  request: z.ZodObject,
  input: ForwardedInput,
  { params = {}, body }: { params?: GivenParams; body?: z.ZodType | string | undefined },
) {
  const memberNameOf = (name: string) => (typeof params[name] === 'string' ? params[name] : name);
  const named = typeof body === 'string' ? { [body]: input.body } : (input.body as object | undefined);
  const inPath = Object.fromEntries(Object.entries(input.params).map(([name, value]) => [memberNameOf(name), value]));
  // The path last: what it names is what the request is about, and no body may name another one.
  const all = { ...input.query, ...named, ...inPath };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in request.shape && name !== 'limit'));
}

function responseOf(
  { reply, request }: ObjectContract,
  { member, page, order }: { member?: string; page?: string; order?: string },
): z.ZodType {
  const { shape } = reply as z.ZodObject;
  if ('after' in request.shape && 'limit' in request.shape)
    return pageSchema((shape.items as z.ZodArray<z.ZodType>).element, order).meta({ id: page! });
  return member ? (shape[member] as z.ZodType) : reply;
}

/** The guard has found the organization, and endpoint() knows which requests have an `If-Match`. */
const unreachable: readonly ErrorCode[] = ['unknown_organization', 'precondition_failed'];

function errorsOf({ errors }: Contract, without: readonly ErrorCode[]): ErrorCode[] {
  return errors.filter((code) => !unreachable.includes(code) && !without.includes(code));
}
