import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { randomForIds } from './random.js';

let msecs = 0;
let seq = 0;

/**
 * UUIDv7: ordered by time, so that it keeps an index's pages together. For ids that may show when they were made.
 * Within a millisecond a counter with a random beginning keeps the order (RFC 9562 §6.2).
 */
export function newId(): string {
  const random = randomForIds(16);
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = random.readUInt32BE(6) >>> 1;
  } else {
    seq = (seq + 1) >>> 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ random, msecs, seq });
}

/** UUIDv4: says nothing, not even a time. For the customer's identifier. */
export function newOpaqueId(): string {
  return randomUUID();
}

/** 256 random bits from [A-Za-z0-9_-]: needs no escaping in URLs, headers or Basic credentials (RFC 6749 §2.3.1). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
