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
  /** Milliseconds until the caller gives up. */
  timeoutMs: number;
  /** A query is sent to another replica when one does not reply in time; a command never is. */
  kind: 'query' | 'command';
  /**
   * An idempotent command: it has the same effect however often and at however many replicas it arrives. It is sent
   * again as a query is.
   */
  repeatable?: boolean;
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
  visibleIn?: ServiceName;
}

function declare<Request extends z.ZodType, Reply extends z.ZodType>(
  kind: 'query' | 'command',
  { name, errors = [], timeoutMs, ...rest }: Definition<Request, Reply>,
): Contract<Request, Reply> {
  // Two seconds are ample for a read; a command may wait a second for its read model on top of a busy database.
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

/** What a request with an Idempotency-Key may meet besides the errors of the command itself. */
export const idempotencyErrors = [
  'idempotency_mismatch',
  'idempotency_in_progress',
  'conflict',
] as const satisfies ErrorCode[];
/** Present when nothing was done, because an earlier request with this key was answered so. */
const replayed = z
  .strictObject({
    subject: uuid.optional().describe('The customer whom it concerned, for the record; absent once they are erased'),
  })
  .optional();

/**
 * A change that an app may repeat safely with an Idempotency-Key: its handler runs within `Idempotency.once`, its
 * endpoint says `idempotent`. Neither member travels where no key was given.
 */
export function idempotentCommand<Request extends z.ZodRawShape, Reply extends z.ZodRawShape>({
  request,
  reply,
  errors = [],
  ...rest
}: Definition<z.ZodObject<Request>, z.ZodObject<Reply>>) {
  return declare('command', {
    ...rest,
    errors: [...errors, ...idempotencyErrors.filter((code) => !errors.includes(code))],
    request: request.extend({ idempotencyKey: z.string().optional() }),
    reply: reply.extend({ replayed }),
  });
}
