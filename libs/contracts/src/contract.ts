import { z } from 'zod';
import type { ErrorCode } from './errors.js';
import { uuid } from './fields.js';
import type { BusUser, ServiceName } from './services.js';

/** One request/reply on the bus: the only way in which a service calls another. */
export interface Contract<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** The service that handles it. */
  service: ServiceName;
  /** The NATS subject, `rpc.<service>.<name>`. */
  subject: string;
  /** Who may send it; becomes NATS permissions. */
  callers: readonly BusUser[];
  request: Request;
  reply: Reply;
  /** Codes that callers must expect besides `unavailable` and `internal`. */
  errors: readonly ErrorCode[];
  timeoutMs: number;
  /** A query is sent to another replica when one does not reply in time, a command to the same one only. */
  kind: 'query' | 'command';
  /** An idempotent command: it may be sent to several replicas, several times, so it is repeated like a query. */
  repeatable?: boolean;
  /**
   * Callers send it even when they have reached their limits of concurrent requests. It records work that is already
   * done, so rejecting it would fail requests that have succeeded.
   */
  exemptFromOutgoingLimits?: boolean;
  /**
   * Its requests of one organization leave room for those of others: the service handles so many at once, and a caller
   * sends so many (FairAdmission, OutgoingLimits). For what may take long or return much.
   */
  dividedByOrganization?: boolean;
  /** The organizations that a request is about besides that of its context. */
  organizationsOf?(request: z.output<Request>): string[];
  /** The read model that must have applied a command's change before the reply leaves. */
  visibleIn?: ServiceName;
}

export type RequestOf<C extends Contract> = z.output<C['request']>;
export type ReplyOf<C extends Contract> = z.output<C['reply']>;

interface Definition<Request extends z.ZodType, Reply extends z.ZodType> {
  service: ServiceName;
  name: string;
  callers: readonly BusUser[];
  request: Request;
  reply: Reply;
  errors?: readonly ErrorCode[];
  timeoutMs?: number;
  repeatable?: boolean;
  exemptFromOutgoingLimits?: boolean;
  dividedByOrganization?: boolean;
  organizationsOf?(request: z.output<Request>): string[];
  visibleIn?: ServiceName;
}

function declare<Request extends z.ZodType, Reply extends z.ZodType>(
  kind: 'query' | 'command',
  { name, errors = [], timeoutMs, ...rest }: Definition<Request, Reply>,
): Contract<Request, Reply> {
  // A command may wait a second for its read model, besides a busy database.
  return {
    ...rest,
    kind,
    errors,
    timeoutMs: timeoutMs ?? (kind === 'query' ? 2000 : 5000),
    subject: `rpc.${rest.service}.${name}`,
  };
}

export function query<Request extends z.ZodType, Reply extends z.ZodType>(definition: Definition<Request, Reply>) {
  return declare('query', definition);
}

export function command<Request extends z.ZodType, Reply extends z.ZodType>(definition: Definition<Request, Reply>) {
  return declare('command', definition);
}

/** Errors of a request with an Idempotency-Key, besides those of the command. */
export const idempotencyErrors = [
  'idempotency_mismatch',
  'idempotency_in_progress',
  'conflict',
] as const satisfies ErrorCode[];
/** Present when the reply repeats that of an earlier request with this key, and nothing was done. */
const replayed = z
  .strictObject({
    subject: uuid.optional().describe('The customer, for the audit record; absent once they are erased'),
  })
  .optional();

/**
 * A change that an app may repeat safely with an Idempotency-Key: its handler runs within `Idempotency.once`, and its
 * endpoint is declared `idempotent`. Without a key both members are absent.
 */
export function idempotentCommand<Request extends z.ZodRawShape, Reply extends z.ZodRawShape>({
  request,
  reply,
  errors = [],
  ...rest
}: Omit<Definition<z.ZodObject<Request>, z.ZodObject<Reply>>, 'organizationsOf'>) {
  return declare('command', {
    ...rest,
    errors: [...errors, ...idempotencyErrors.filter((code) => !errors.includes(code))],
    request: request.extend({ idempotencyKey: z.string().optional() }),
    reply: reply.extend({ replayed }),
  });
}

/** The contracts that these modules export, by module and name. */
export function contractsOf(...modules: object[]): Contract[] {
  return modules.flatMap((module) => (Object.values(module) as unknown[]).filter(isContract));
}

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'subject' in value && 'callers' in value && 'reply' in value;
}
