import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { randomForIds } from './random.js';

let msecs = 0;
let seq = 0;

/**
 * UUIDv7, for ids that may reveal when they were created. They are ordered by time, so that new index entries share
 * pages. A counter with a random start keeps the order within a millisecond (RFC 9562 §6.2).
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

/** UUIDv4, which reveals nothing, not even a time: for customers' identifiers. */
export function newOpaqueId(): string {
  return randomUUID();
}

/**
 * 256 random bits in [A-Za-z0-9_-], which need no escaping in URLs, headers and Basic credentials (RFC 6749 §2.3.1).
 */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
