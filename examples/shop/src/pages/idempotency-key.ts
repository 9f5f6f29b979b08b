import { createHmac } from 'node:crypto';

/**
 * A form that is sent twice has the same key; another browser, form or content has another. The session id makes the
 * key unpredictable, so that nobody can request another browser's offer.
 */
export function idempotencyKey({ sessionId }: { sessionId: string }, ...content: string[]): string {
  return createHmac('sha256', sessionId).update(JSON.stringify(content)).digest('base64url');
}
