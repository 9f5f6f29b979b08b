import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

/** UUIDv7: ordered by time, so that it keeps an index's pages together. For ids that may show when they were made. */
export function newId(): string {
  return v7();
}

/** UUIDv4: says nothing, not even a time. For the customer's identifier. */
export function newOpaqueId(): string {
  return randomUUID();
}

/** 256 random bits from [A-Za-z0-9_-]: needs no escaping in URLs, headers or Basic credentials (RFC 6749 §2.3.1). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
