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
import { databaseUnavailableReason, isFenced } from '@holdfast/data';
import {
  AppError,
  inContext,
  inSpan,
  LogBudget,
  secondsSince,
  unavailable,
  unprocessable,
  validationIssues,
  withDeadline,
} from '@holdfast/platform';
import { admissionOf } from '../admission/admission.js';
import { fairAdmissionOf } from '../admission/fair-admission.js';
import { MisdirectedError, MovingError } from '../shards/misdirected.js';
import { OwnOrganizations } from '../shards/own-organizations.js';
import { countDroppedMessage } from '../subscriptions/dropped-messages.js';
import { handleSpan } from '../telemetry/message-spans.js';
import { handlerSeconds } from '../telemetry/metrics.js';

type Handler<C extends Contract> = (
  input: RequestOf<C>,
  context: RequestContext,
  caller: BusUser,
) => Promise<ReplyOf<C>>;

const logger = new Logger('bus');
/** Unexpected errors are logged with their stack. */
const unexpectedErrorLines = new LogBudget(10);
/** While the database is unavailable all requests fail alike, and the access line of each has the origin. */
const databaseErrorLines = new LogBudget(0.2);

/**
 * Makes a method the handler of a contract. It receives the validated input, the request context and the NATS user that
 * sent the request; its log lines carry the context. Whatever it throws crosses NATS as a WireError: an AppError as it
 * is, an unavailable database as `unavailable`, anything else as `internal` with the details in the log only.
 */
export function Handles<C extends Contract>(contract: C) {
  // The transport sets caller, expiration and `own` (transport.ts); the sender cannot.
  const envelope = z.strictObject({
    input: contract.request,
    context: requestContextSchema,
    caller: z.enum(natsUsers),
    expiresAt: z.number().optional(),
    own: z.instanceof(OwnOrganizations).optional(),
  });
  return <Method extends Handler<C>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const handle = descriptor.value!;
    const handleMessage = async function (this: unknown, message: unknown): Promise<ReplyOf<C>> {
      const startedAtMs = performance.now();
      let code = 'ok';
      try {
        const parsed = envelope.safeParse(message);
        if (!parsed.success) throw unprocessable(validationIssues(parsed.error.issues).map(relativeToInput));
        const { input, context, caller, expiresAt, own } = parsed.data as {
          input: RequestOf<C>;
          context: RequestContext;
          caller: BusUser;
          expiresAt?: number;
          own?: OwnOrganizations;
        };
        if (own) await requireOwn(own, contract, input, context);
        return await inSpan(
          () => handleSpan(contract),
          () =>
            admissionOf(contract.service).run(expiresAt, () =>
              withDeadline(expiresAt, () =>
                inContext(context, () => fairly(contract, context, () => handle.call(this, input, context, caller))),
              ),
            ),
        );
      } catch (error) {
        const appError = toAppError(error, contract);
        code = appError.code;
        throw new RpcException(appError.toWire());
      } finally {
        handlerSeconds.observe({ contract: contract.subject, code }, secondsSince(startedAtMs));
      }
    };
    descriptor.value = handleMessage as Handler<C> as Method;
    MessagePattern(contract.subject)(target, key, descriptor);
  };
}

function fairly<T>(contract: Contract, context: RequestContext, handle: () => Promise<T>): Promise<T> {
  return contract.dividedByOrganization ? fairAdmissionOf(contract.service).run(context, handle) : handle();
}

/** Refuses a request that was sent to the wrong shard, and reports it: a setting of the sender is wrong. */
async function requireOwn<C extends Contract>(
  own: OwnOrganizations,
  contract: C,
  input: RequestOf<C>,
  { org }: RequestContext,
): Promise<void> {
  try {
    await own.require([org, ...(contract.organizationsOf?.(input) ?? [])]);
  } catch (error) {
    if (error instanceof MisdirectedError && !(error instanceof MovingError))
      countDroppedMessage(contract.subject, 'shard', error.message);
    throw error;
  }
}

/** Makes pointers relative to the input: callers do not know the envelope around it. */
function relativeToInput({ pointer, detail }: { pointer: string; detail: string }): ValidationIssue {
  return { pointer: pointer.replace(/^#\/input(?=\/|$)/, '#'), detail };
}

function toAppError(error: unknown, contract: Contract): AppError {
  if (error instanceof AppError) return error;
  const reason = databaseUnavailableReason(error);
  if (reason !== undefined) {
    if (databaseErrorLines.take())
      logger.warn(`${reason}, so requests such as ${contract.subject} fail with 503: ${String(error)}`);
    return unavailable(reason, 1, { dependency: 'postgres', cause: 'unreachable' });
  }
  // This process was paused before the organization was fenced: it has not found the fence beforehand.
  if (isFenced(error))
    return unavailable('the organization is being moved', 1, { dependency: 'postgres', cause: 'unavailable' });
  if (unexpectedErrorLines.take())
    logger.error(error instanceof Error ? error : new Error(String(error)), contract.subject);
  return new AppError('internal');
}
