import { randomUUID } from 'node:crypto';
import { NoRespondersError, RequestError, TimeoutError, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import {
  addressedSubject,
  errorCatalogue,
  type Contract,
  type ReplyOf,
  type RequestContext,
  type ServiceName,
  type WireError,
} from '@holdfast/contracts';
import { AppError, expired, remainingMs, unavailable } from '@holdfast/platform';
import { wasNotStarted } from './admission.js';
import { parseJson } from './connection-status.js';
import type { OutgoingLimits } from './outgoing-limits.js';
import { stripUnknownMembers } from './strip-unknown-members.js';
import { newTransit } from './transit.js';

/**
 * Where a command may or may not have been carried out: it was sent, and no answer came, or its handler failed, which
 * may have been after the commit (a connection that breaks while COMMIT is under way).
 */
export class UncertainError extends AppError {}

/** What Nest makes of a reply. */
const packetSchema = z.object({ id: z.string(), response: z.unknown().optional(), err: z.unknown().optional() });

/** Loose, since a newer service may add to it. Its code is looked up in the catalogue. */
const wireErrorSchema = z.looseObject({
  code: z.string(),
  detail: z.string().optional(),
  status: z.int().min(400).max(599).optional(),
  errors: z.array(z.looseObject({ detail: z.string() })).optional(),
  retryAfter: z.number().optional(),
  targets: z.array(z.looseObject({ type: z.string(), id: z.string() })).optional(),
  origin: z.looseObject({ dependency: z.string(), cause: z.string() }).optional(),
});

const replySchemas = new WeakMap<Contract, z.ZodType>();

/** A replica that was chosen to be asked. */
export interface ChosenReplica {
  id: string;
  /** @returns what to call when the request has ended */
  begin(): (end: 'answered' | 'unanswered' | 'failed') => void;
}

/**
 * Knows which replicas of a service live; see replicas.ts. Without one, and where it knows none, the queue group
 * chooses.
 */
export interface ReplicaChooser {
  choose(service: ServiceName, except?: string): ChosenReplica | undefined;
  forget(service: ServiceName, id: string): void;
}

/** Asks other services, by contract alone. */
export class Bus {
  constructor(
    readonly connection: NatsConnection,
    /** Told of each reply that does not fit its contract. */
    private readonly misfit: (contract: Contract, detail: string) => void = () => undefined,
    private readonly replicas?: ReplicaChooser,
    private readonly limits?: OutgoingLimits,
  ) {}

  /**
   * The reply, or an AppError: what the handler threw, or `unavailable` when nobody answers within the contract's time.
   * A query that one replica does not answer is asked of another. A command never is, once a replica may have received
   * it.
   */
  request<C extends Contract>(contract: C, input: z.input<C['request']>, context: RequestContext): Promise<ReplyOf<C>> {
    const send = () => this.send(contract, input, context);
    return this.limits ? this.limits.run(contract, context, send) : send();
  }

  private async send<C extends Contract>(
    contract: C,
    input: z.input<C['request']>,
    context: RequestContext,
  ): Promise<ReplyOf<C>> {
    const { subject, service } = contract;
    // Of one who is asked by somebody else: no longer than that one still waits.
    const timeout = Math.min(contract.timeoutMs, Math.ceil(remainingMs()));
    if (timeout <= 0) throw expired();
    // Nobody but us and who was asked knows it: a reply without it was made by somebody else, on whatever way it came
    // here.
    const id = randomUUID();
    const message = JSON.stringify({ pattern: subject, id, transit: newTransit(timeout), data: { input, context } });
    const first = this.replicas?.choose(service);
    if (contract.kind === 'command' && !contract.repeatable) return this.ask(contract, id, message, timeout, first);
    try {
      return await this.ask(contract, id, message, timeout / 2, first);
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      return this.ask(contract, id, message, timeout / 2, this.replicas?.choose(service, first?.id));
    }
  }

  private async ask<C extends Contract>(
    contract: C,
    id: string,
    message: string,
    timeout: number,
    replica?: ChosenReplica,
  ): Promise<ReplyOf<C>> {
    const subject = replica ? addressedSubject(contract.subject, replica.id) : contract.subject;
    const end = replica?.begin();
    let answer: Msg;
    try {
      answer = await this.connection.request(subject, message, { timeout });
      end?.('answered');
    } catch (error) {
      end?.(isTimeout(error) ? 'unanswered' : 'failed');
      if (replica && reachedNobody(error)) {
        // It has left since it was heard. The message reached no one, so it may be sent again, whatever it is.
        this.replicas?.forget(contract.service, replica.id);
        return this.ask(contract, id, message, timeout);
      }
      throw notAnswered(contract, error);
    }
    const packet = packetSchema.safeParse(parseJson(answer));
    if (!packet.success || packet.data.id !== id) throw this.unreadable(contract, 'it is no reply to this request');
    const { response, err } = packet.data;
    if (err !== undefined) throw fromWire(contract, err);
    const reply = replySchemaOf(contract).safeParse(response);
    if (!reply.success)
      throw this.unreadable(
        contract,
        `members that do not fit: ${reply.error.issues
          .map(({ path }) => path.join('.'))
          .join(', ')
          .slice(0, 200)}`,
      );
    return reply.data as ReplyOf<C>;
  }

  private unreadable(contract: Contract, detail: string): UncertainError {
    this.misfit(contract, detail);
    return new UncertainError('unavailable', `${contract.service} gave an answer that cannot be read`, {
      retryAfter: 1,
      origin: { dependency: contract.service, cause: 'internal' },
    });
  }
}

function replySchemaOf(contract: Contract): z.ZodType {
  let schema = replySchemas.get(contract);
  if (!schema) replySchemas.set(contract, (schema = stripUnknownMembers(contract.reply)));
  return schema;
}

/** Nobody listens: the message reached no one, so nothing can have happened. */
function reachedNobody(error: unknown): boolean {
  const cause = error instanceof RequestError ? error.cause : error;
  return cause instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}

function isTimeout(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof RequestError && error.cause instanceof TimeoutError);
}

function notAnswered({ service }: Contract, error: unknown): AppError {
  if (reachedNobody(error))
    return unavailable(`${service} is not running`, 1, { dependency: service, cause: 'not_running' });
  if (isTimeout(error))
    return new UncertainError('unavailable', `${service} did not answer in time`, {
      retryAfter: 1,
      origin: { dependency: service, cause: 'timeout' },
    });
  return new UncertainError('unavailable', 'the message bus is unavailable', {
    retryAfter: 1,
    origin: { dependency: 'nats', cause: 'bus' },
  });
}

function fromWire({ kind, service }: Contract, err: unknown): AppError {
  const known = wireErrorSchema.safeParse(err);
  const wire = locate(
    service,
    known.success && Object.hasOwn(errorCatalogue, known.data.code)
      ? (known.data as WireError)
      : new AppError('internal').toWire(),
  );
  const unknown = wire.code === 'unavailable' || wire.code === 'internal';
  const error = AppError.fromWire(wire);
  return kind === 'command' && unknown && !wasNotStarted(error)
    ? new UncertainError(wire.code, wire.detail, wire)
    : error;
}

/** An error of ours says where it happened: in the service that answered, or in what that one asked in turn. */
function locate(service: string, wire: WireError): WireError {
  if (errorCatalogue[wire.code].status < 500) return wire;
  const { origin } = wire;
  const cause = wire.code === 'internal' ? 'internal' : 'unavailable';
  return {
    ...wire,
    origin: origin ? { ...origin, dependency: `${service}/${origin.dependency}` } : { dependency: service, cause },
  };
}
