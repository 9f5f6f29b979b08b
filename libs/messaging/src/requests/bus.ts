import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { NoRespondersError, RequestError, TimeoutError, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import {
  addressedSubject,
  errorCatalogue,
  services,
  type Contract,
  type ReplyOf,
  type RequestContext,
  type ServiceName,
  type WireError,
} from '@holdfast/contracts';
import { AppError, expired, inSpan, remainingMs, secondsSince, unavailable } from '@holdfast/platform';
import { wasNotStarted } from '../admission/admission.js';
import type { OutgoingLimits } from '../admission/outgoing-limits.js';
import { parseJson } from '../connection/connection-status.js';
import { isMisdirected } from '../shards/misdirected.js';
import { requestSpan, traceHeaders } from '../telemetry/message-spans.js';
import { busRequestSeconds } from '../telemetry/metrics.js';
import { stripUnknownMembers } from './strip-unknown-members.js';
import { newTransit } from './transit.js';

/**
 * The result of a command is unknown: it was sent and no response came, or its handler failed, perhaps after the commit
 * (a connection that breaks during COMMIT).
 */
export class UncertainError extends AppError {}

/** The packet in which Nest sends a reply. */
const packetSchema = z.object({ id: z.string(), response: z.unknown().optional(), err: z.unknown().optional() });

/** Loose, so that a newer service may add members. The code is checked against the catalogue. */
const wireErrorSchema = z.looseObject({
  code: z.string(),
  detail: z.string().optional(),
  status: z.int().min(400).max(599).optional(),
  errors: z.array(z.looseObject({ detail: z.string() })).optional(),
  retryAfter: z.number().optional(),
  targets: z.array(z.looseObject({ type: z.string(), id: z.string() })).optional(),
  origin: z.looseObject({ dependency: z.string(), cause: z.string() }).optional(),
});

/**
 * Waits before a request that no replica has received is sent again. The only replica of a service is absent for 0.1 to
 * 0.2 s while it connects to another NATS server, because its own is replaced.
 */
const absenceDelaysMs = [50, 100, 200];

/**
 * When a command without a response is sent again to its replica, which handles it once. A client needs 0.1 to 0.2 s
 * to connect to another NATS server, because its own ended with the message or the response.
 */
const repeatAfterMs = [1000, 2500];

const replySchemas = new WeakMap<Contract, z.ZodType>();

interface Message {
  id: string;
  /** The body of a message whose sender waits for this long. */
  body: (timeoutMs: number, repeated?: boolean) => string;
  traceparent: string | undefined;
}

/** How a request to a replica ended. */
export type RequestEnd = 'response' | 'timeout' | 'error';

export interface ChosenReplica {
  id: string;
  /** Whether it handles a command once, however often it receives its message. */
  deduplicates: boolean;
  /** Counts a request as in flight. @returns the callback that ends it */
  begin(): (end: RequestEnd) => void;
}

/** Chooses the replica that receives a request (replicas.ts). If it chooses none, the queue group of NATS chooses. */
export interface ReplicaChooser {
  choose(service: ServiceName, except?: string): ChosenReplica | undefined;
  remove(service: ServiceName, id: string): void;
}

/** The buses of several shards (shards/shards.ts). */
export interface ShardBuses {
  /** The shard of an organization. @throws unavailable when directory does not say */
  of(org: string): Promise<string>;
  /** The same, after a service of the known shard has refused the organization. @throws unavailable */
  lookUpAgain(org: string): Promise<string>;
  /** The bus of an organization's shard; undefined for `main`. @throws unavailable without a connection to it */
  busFor(org: string): Promise<Bus | undefined>;
}

/** Sends requests to other services, by contract only. */
export class Bus {
  /** Set in a process that reaches several shards: requests to their services go over the bus of their shard. */
  shards?: ShardBuses;

  constructor(
    readonly connection: NatsConnection,
    /** Called with each reply that does not fit its contract. */
    private readonly onInvalidReply: (contract: Contract, detail: string) => void = () => undefined,
    private readonly replicas?: ReplicaChooser,
    private readonly limits?: OutgoingLimits,
  ) {}

  /**
   * Resolves to the reply. Rejects with the AppError of the handler, or with `unavailable` after the contract's
   * timeout. A query without a response is sent to another replica. A command is not, once a replica may have received
   * it, unless the contract says `repeatable`: it is sent to the same one again.
   */
  async request<C extends Contract>(
    contract: C,
    input: z.input<C['request']>,
    context: RequestContext,
  ): Promise<ReplyOf<C>> {
    if (!this.shards || !services[contract.service].sharded) return this.requestHere(contract, input, context);
    const { org } = context;
    const shard = await this.shards.of(org);
    try {
      return await ((await this.shards.busFor(org)) ?? this).requestHere(contract, input, context);
    } catch (error) {
      // Refused before it was handled, so even a command is sent again: once, where the organization has moved to.
      if (!isMisdirected(error) || (await this.shards.lookUpAgain(org)) === shard) throw error;
      return ((await this.shards.busFor(org)) ?? this).requestHere(contract, input, context);
    }
  }

  private requestHere<C extends Contract>(
    contract: C,
    input: z.input<C['request']>,
    context: RequestContext,
  ): Promise<ReplyOf<C>> {
    const send = () =>
      inSpan(
        () => requestSpan(contract),
        (traceparent) => this.measured(contract, () => this.send(contract, input, context, traceparent)),
      );
    return this.limits ? this.limits.run(contract, context, send) : send();
  }

  /** `service` when requests of this route were rejected by a limit that is still reached; for an early rejection. */
  limitReached(route: string): 'service' | undefined {
    return this.limits?.isReached(route) ? 'service' : undefined;
  }

  private async measured<T>({ subject }: Contract, send: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    let code = 'ok';
    try {
      return await send();
    } catch (error) {
      code = error instanceof AppError ? error.code : 'internal';
      throw error;
    } finally {
      busRequestSeconds.observe({ contract: subject, code }, secondsSince(startedAtMs));
    }
  }

  private async send<C extends Contract>(
    contract: C,
    input: z.input<C['request']>,
    context: RequestContext,
    traceparent: string | undefined,
  ): Promise<ReplyOf<C>> {
    const { subject, service } = contract;
    // While handling a request, no longer than its own caller waits.
    const timeoutMs = Math.min(contract.timeoutMs, Math.ceil(remainingMs()));
    if (timeoutMs <= 0) throw expired();
    // Only this process and the handler know the id, so a reply without it is forged.
    const id = randomUUID();
    const packet = { pattern: subject, id, data: { input, context } };
    const body: Message['body'] = (waitMs, repeated) =>
      JSON.stringify({ ...packet, transit: newTransit(waitMs), ...(repeated && { repeated }) });
    const message: Message = { id, body, traceparent };
    const first = this.replicas?.choose(service);
    if (contract.kind === 'command' && !contract.repeatable) return this.sendOnce(contract, message, timeoutMs, first);
    try {
      return await this.sendOnce(contract, message, timeoutMs / 2, first);
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      return this.sendOnce(contract, message, timeoutMs / 2, this.replicas?.choose(service, first?.id));
    }
  }

  private async sendOnce<C extends Contract>(
    contract: C,
    message: Message,
    timeoutMs: number,
    replica?: ChosenReplica,
    absences = 0,
  ): Promise<ReplyOf<C>> {
    const sentAtMs = performance.now();
    const end = replica?.begin();
    let response: Msg;
    try {
      response = await this.responseTo(contract, message, timeoutMs, replica);
      end?.('response');
    } catch (error) {
      end?.(isTimeout(error) ? 'timeout' : 'error');
      if (!hadNoResponders(error)) throw toRequestError(contract, error);
      // Nobody received the message, so even a command is sent again.
      if (replica) {
        // It has stopped since its announcement.
        this.replicas?.remove(contract.service, replica.id);
        return this.sendOnce(contract, message, timeoutMs);
      }
      const delayMs = absenceDelaysMs[absences] ?? Infinity;
      const leftMs = timeoutMs - (performance.now() - sentAtMs) - delayMs;
      if (leftMs <= 0) throw toRequestError(contract, error);
      await setTimeout(delayMs);
      return this.sendOnce(contract, message, leftMs, undefined, absences + 1);
    }
    const packet = packetSchema.safeParse(parseJson(response));
    if (!packet.success || packet.data.id !== message.id)
      throw this.invalidReply(contract, 'it is no reply to this request');
    const { response: body, err } = packet.data;
    if (err !== undefined) throw fromWire(contract, err);
    const reply = replySchemaOf(contract).safeParse(body);
    if (!reply.success)
      throw this.invalidReply(
        contract,
        `invalid members: ${reply.error.issues
          .map(({ path }) => path.join('.'))
          .join(', ')
          .slice(0, 200)}`,
      );
    return reply.data as ReplyOf<C>;
  }

  /** Sends a message, and that of a command again to a replica that handles it once. */
  private async responseTo(
    { subject, kind, repeatable }: Contract,
    message: Message,
    timeoutMs: number,
    replica?: ChosenReplica,
  ): Promise<Msg> {
    const to = replica ? addressedSubject(subject, replica.id) : subject;
    const send = (afterMs: number) => {
      const leftMs = timeoutMs - afterMs;
      const options = { timeout: leftMs, ...traceHeaders(message.traceparent) };
      return this.connection.request(to, message.body(leftMs, afterMs > 0), options);
    };
    const first = send(0);
    if (!replica?.deduplicates || kind !== 'command' || repeatable) return first;
    const ended = new AbortController();
    const repeats = repeatAfterMs
      .filter((afterMs) => afterMs < timeoutMs)
      .map(async (afterMs) => {
        await setTimeout(afterMs, undefined, { signal: ended.signal });
        return send(afterMs);
      });
    try {
      // The first message times out last, and without a replica at once; a repeated one that fails proves nothing.
      return await Promise.race([first, firstResponse(repeats)]);
    } finally {
      ended.abort();
    }
  }

  private invalidReply(contract: Contract, detail: string): UncertainError {
    this.onInvalidReply(contract, detail);
    return new UncertainError('unavailable', `${contract.service} sent an invalid reply`, {
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

/** The first response to one of the messages; pending without one. */
function firstResponse(messages: Promise<Msg>[]): Promise<Msg> {
  return Promise.any(messages).catch(() => new Promise<never>(() => undefined));
}

/** Nobody subscribes to the subject, so nobody received the message. */
function hadNoResponders(error: unknown): boolean {
  const cause = error instanceof RequestError ? error.cause : error;
  return cause instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}

function isTimeout(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof RequestError && error.cause instanceof TimeoutError);
}

function toRequestError({ service }: Contract, error: unknown): AppError {
  if (hadNoResponders(error))
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
  const parsed = wireErrorSchema.safeParse(err);
  const wire = withOrigin(
    service,
    parsed.success && Object.hasOwn(errorCatalogue, parsed.data.code)
      ? (parsed.data as WireError)
      : new AppError('internal').toWire(),
  );
  const isUncertain = wire.code === 'unavailable' || wire.code === 'internal';
  const error = AppError.fromWire(wire);
  return kind === 'command' && isUncertain && !wasNotStarted(error) && !isMisdirected(error)
    ? new UncertainError(wire.code, wire.detail, wire)
    : error;
}

/** Adds to a 5xx where it happened: in the called service, or in a dependency of that service. */
function withOrigin(service: string, wire: WireError): WireError {
  if (errorCatalogue[wire.code].status < 500) return wire;
  const { origin } = wire;
  const cause = wire.code === 'internal' ? 'internal' : 'unavailable';
  return {
    ...wire,
    origin: origin ? { ...origin, dependency: `${service}/${origin.dependency}` } : { dependency: service, cause },
  };
}
