import type { Session } from 'fastify';
import { HoldfastApiError } from '../holdfast/errors.ts';

/**
 * The presence proof to send with the offer of this Idempotency-Key. A form that is sent again, after a lost response,
 * contains another proof. The first one is sent instead, since a repeated key requires the same request.
 */
export function presenceProofFor(session: Session, idempotencyKey: string, altcha?: string): string | undefined {
  if (session.presenceProof?.idempotencyKey === idempotencyKey) return session.presenceProof.payload;
  session.presenceProof = { idempotencyKey, payload: altcha || undefined };
  return session.presenceProof.payload;
}

const textByCode: Record<string, string> = {
  presence_required:
    'We could not check that a person sends this form. Please switch JavaScript on for this page, and try again.',
  presence_invalid: 'The check that a person sends this form did not work. Please try again.',
  presence_expired: 'The check that a person sends this form took too long. Please try again.',
  presence_replayed: 'This form was sent before. Please try again.',
};

/** The text for a visitor whose presence proof was rejected; undefined for every other error. */
export function presenceErrorText(error: unknown): string | undefined {
  return error instanceof HoldfastApiError ? textByCode[error.code] : undefined;
}
