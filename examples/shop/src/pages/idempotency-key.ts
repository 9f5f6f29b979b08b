import { createHmac } from 'node:crypto';

/**
 * The same form sent twice gives the same key; another browser, form or content gives another. The session id makes it
 * unpredictable, so that nobody can ask for another browser's offer.
 */
export function idempotencyKey({ sessionId }: { sessionId: string }, ...content: string[]): string {
  return createHmac('sha256', sessionId).update(JSON.stringify(content)).digest('base64url');
}
