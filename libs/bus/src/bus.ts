import { errorCatalogue, type CallContext, type Contract, type ReplyOf, type WireError } from '@holdfast/contracts';
import { AppError, unavailable } from '@holdfast/kit';
import { NoRespondersError, RequestError, TimeoutError, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';

/**
 * Where a command may or may not have been carried out: it was sent, and no answer came, or its handler failed, which may
 * have been after the commit (a connection that breaks while COMMIT is under way).
 */
export class UncertainError extends AppError {}

/** Nest takes what has no id for an event. Which answer belongs to which request, NATS tells by the inbox. */
const anyId = '0';

type Packet<Reply> = { response?: Reply; err?: unknown };

/** Asks other services, by contract alone. */
export class Bus {
  constructor(readonly connection: NatsConnection) {}

  /**
   * The reply, or an AppError: what the handler threw, or `unavailable` when nobody answers within the contract's time.
   * A query is asked twice, since another replica may answer what a paused one does not; a command never is.
   */
  async request<C extends Contract>(contract: C, input: z.input<C['request']>, context: CallContext): Promise<ReplyOf<C>> {
    const { subject, timeout } = contract;
    const message = JSON.stringify({ pattern: subject, id: anyId, data: { input, context } });
    if (contract.kind === 'command') return this.ask(contract, message, timeout);
    try {
      return await this.ask(contract, message, timeout / 2);
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      return this.ask(contract, message, timeout / 2);
    }
  }

  private async ask<C extends Contract>(contract: C, message: string, timeout: number): Promise<ReplyOf<C>> {
    let answer: Msg;
    try {
      answer = await this.connection.request(contract.subject, message, { timeout });
    } catch (error) {
      throw notAnswered(contract, error);
    }
    const { response, err } = answer.json<Packet<ReplyOf<C>>>();
    if (err !== undefined) throw fromWire(contract, err);
    return response as ReplyOf<C>;
  }
}

function notAnswered({ service }: Contract, error: unknown): AppError {
  const cause = error instanceof RequestError ? error.cause : error;
  // Nobody listens: the message reached no one, so nothing can have happened.
  if (cause instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())) return unavailable(`${service} is not running`);
  if (cause instanceof TimeoutError || error instanceof TimeoutError) return new UncertainError('unavailable', `${service} did not answer in time`, { retryAfter: 1 });
  return new UncertainError('unavailable', 'the message bus is away', { retryAfter: 1 });
}

function fromWire({ kind }: Contract, err: unknown): AppError {
  const { code } = (err ?? {}) as Partial<WireError>;
  const wire: WireError = code && code in errorCatalogue ? (err as WireError) : new AppError('internal').toWire();
  const unknown = wire.code === 'unavailable' || wire.code === 'internal';
  return kind === 'command' && unknown ? new UncertainError(wire.code, wire.detail, wire) : AppError.fromWire(wire);
}
