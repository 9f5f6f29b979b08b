import type { AuditEvent } from '@holdfast/contracts';
import { OutboundError, type Outbound } from '@holdfast/platform';

/** One entry of the log, in the format of the destination. */
export interface Entry {
  event: AuditEvent;
  /** What the receiver gets: the event with its organization, or in OCSF. */
  body: Record<string, unknown>;
}

/** Entries of one organization, in the order of the log. */
export interface Batch {
  org: string;
  entries: readonly [Entry, ...Entry[]];
}

export interface Target<Settings, Credentials> {
  id: string;
  settings: Settings;
  credentials: Credentials;
  outbound: Outbound;
  baseUrl: string;
  now: Date;
  timeoutMs: number;
}

/** What the receiver has done with a batch. */
export interface Delivered {
  /** Number of entries, from the first one, that need not be sent again. All of them when left out. */
  confirmed?: number;
  /** Of these, the number that the receiver has refused for good, and why the last one was. */
  rejected?: { count: number; reason: string };
  /** Why the entries after the confirmed ones must be sent again. */
  failure?: DeliveryError;
}

/**
 * A kind of receiver. It sends one batch and says what the receiver has confirmed.
 */
export interface DestinationKind<Settings, Credentials> {
  /** The largest request that receivers of this kind accept by default, in bytes. */
  maxBytes: number;
  /** @throws OutboundError when the settings name an address that must not be called */
  check(settings: Settings, outbound: Outbound): void;
  /** @throws DeliveryError, OutboundError: nothing is confirmed */
  send(batch: Batch, target: Target<Settings, Credentials>): Promise<Delivered>;
}

/** A failed delivery, in words for the people who manage the destination: never what the receiver has written. */
export class DeliveryError extends Error {
  constructor(
    message: string,
    readonly retryAfterMs?: number,
    /** The request was too large: fewer entries may fit. */
    readonly tooLarge = false,
  ) {
    super(message);
    this.name = 'DeliveryError';
  }
}

/** What a status means to the people who manage the destination. */
const meanings: Record<number, string> = {
  400: 'it does not accept the form of the request: compare the settings with those of the receiver',
  401: 'it does not accept the credentials: replace them',
  403: 'it refuses the credentials: replace them, or give them the right to write',
  404: 'there is nothing at this address: compare the settings with those of the receiver',
  413: 'one entry is too large for it: raise its limit',
  429: 'it accepts no more at the moment',
};

/** Any error of a delivery as a DeliveryError. */
export function deliveryErrorOf(error: unknown, now: Date): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (!(error instanceof OutboundError)) return new DeliveryError('the entries could not be sent: internal error.');
  const { status, retryAfter } = error;
  if (status === undefined)
    return new DeliveryError(`${sentenceOf(error.failure)} (${error.message.replace(/\.$/, '')}).`);
  const meaning = meanings[status] ?? (status >= 500 ? 'it has a fault of its own' : undefined);
  return new DeliveryError(
    `the receiver responded with ${error.message.replace(/\.$/, '')}${meaning ? `: ${meaning}` : ''}.`,
    retryAfterMsOf(retryAfter, now),
    status === 413,
  );
}

function sentenceOf(failure: OutboundError['failure']): string {
  if (failure === 'address not allowed') return 'the address of the receiver must not be called';
  if (failure === 'timed out') return 'the receiver did not answer in time';
  if (failure === 'certificate') return 'the receiver cannot be trusted';
  if (failure === 'too large') return 'the response of the receiver is too large';
  return 'the receiver cannot be reached';
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfterMsOf(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
