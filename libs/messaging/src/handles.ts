import { Logger } from '@nestjs/common';
import { MessagePattern, RpcException } from '@nestjs/microservices';
import { z } from 'zod';
import {
  natsUsers,
  requestContextSchema,
  type BusUser,
  type Contract,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type ValidationIssue,
} from '@holdfast/contracts';
import { databaseUnavailableReason } from '@holdfast/data';
import {
  AppError,
  inContext,
  LogBudget,
  unavailable,
  unprocessable,
  validationIssues,
  withDeadline,
} from '@holdfast/platform';
import { admissionOf } from './admission.js';
import { handlerSeconds } from './metrics.js';

type Handler<C extends Contract> = (
  input: RequestOf<C>,
  context: RequestContext,
  caller: BusUser,
) => Promise<ReplyOf<C>>;

const logger = new Logger('bus');
/** Unexpected errors, each with its stack: the first ones tell as much as all of them. */
const unexpected = new LogBudget(10);
/** While the database is unavailable every request fails alike. The access line of each has the origin. */
const databaseAway = new LogBudget(0.2);

/**
 * Makes a method the one that answers a contract. Its input arrives validated, with the call's context and the user of
 * the bus that sent it; its log lines carry that context, and whatever it throws crosses the bus as a WireError: an
 * AppError as it is, all else as `internal` with the details in the log only, a database that is away as `unavailable`.
 */
export function Handles<C extends Contract>(contract: C) {
  // Caller and expiration are the transport's word (transport.ts), not the sender's.
  const envelope = z.strictObject({
    input: contract.request,
    context: requestContextSchema,
    caller: z.enum(natsUsers),
    expiresAt: z.number().optional(),
  });
  return <Method extends Handler<C>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const handle = descriptor.value!;
    const answer = async function (this: unknown, message: unknown): Promise<ReplyOf<C>> {
      const stop = handlerSeconds.startTimer({ contract: contract.subject });
      let code = 'ok';
      try {
        const parsed = envelope.safeParse(message);
        if (!parsed.success) throw unprocessable(validationIssues(parsed.error.issues).map(ofInput));
        const { input, context, caller, expiresAt } = parsed.data as {
          input: RequestOf<C>;
          context: RequestContext;
          caller: BusUser;
          expiresAt?: number;
        };
        return await admissionOf(contract.service).run(expiresAt, () =>
          withDeadline(expiresAt, () => inContext(context, () => handle.call(this, input, context, caller))),
        );
      } catch (error) {
        const appError = toAppError(error, contract);
        code = appError.code;
        throw new RpcException(appError.toWire());
      } finally {
        stop({ code });
      }
    };
    descriptor.value = answer as Handler<C> as Method;
    MessagePattern(contract.subject)(target, key, descriptor);
  };
}

/** Handlers point into their input: the envelope around it is nothing that a caller has written. */
function ofInput({ pointer, detail }: { pointer: string; detail: string }): ValidationIssue {
  return { pointer: pointer.replace(/^#\/input(?=\/|$)/, '#'), detail };
}

function toAppError(error: unknown, contract: Contract): AppError {
  if (error instanceof AppError) return error;
  const away = databaseUnavailableReason(error);
  if (away !== undefined) {
    if (databaseAway.take())
      logger.warn(`${away}, so requests such as ${contract.subject} are answered 503: ${String(error)}`);
    return unavailable(away, 1, { dependency: 'postgres', cause: 'unreachable' });
  }
  if (unexpected.take()) logger.error(error instanceof Error ? error : new Error(String(error)), contract.subject);
  return new AppError('internal');
}
