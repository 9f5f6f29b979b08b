import type { EventType } from '@holdfast/contracts';
import type { MakerColumns } from '../../makers/maker-columns.js';
import type { EndpointRow } from '../endpoint.js';

/** A message that this process sends to an endpoint now. */
export interface Claim
  extends MakerColumns, Pick<EndpointRow, 'url' | 'headers' | 'secrets' | 'signatures' | 'failures'> {
  endpoint: string;
  endpoint_version: number;
  org: string;
  seq: number;
  created_at: Date;
  event: string;
  type: EventType;
  /** The hash of the customer or person whom the event is about. */
  key: Buffer;
  lease: number;
  tries: number;
  /** Whether the endpoint gets what it has not got while it was paused or disabled. */
  catches_up: boolean;
  occurred_at: Date;
  version: number;
  /** Null when the feed does not keep the event any more. */
  data: Record<string, unknown> | null;
  /** When it was claimed, by performance.now(). */
  leasedAtMs: number;
}

/** One attempt, and what follows from it. */
export interface Outcome {
  claim: Claim;
  at: Date;
  latencyMs: number;
  status?: number;
  response?: string;
  /** Absent when the message was delivered. */
  error?: string;
  retryAfterMs?: number | undefined;
}

/** A process has a message for so long. If it dies, another one sends it then. */
export const leaseMs = 30_000;
/** Time for one attempt: lookup, connection and the response. */
export const attemptTimeoutMs = 15_000;
