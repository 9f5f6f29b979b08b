import { z } from 'zod';
import type { App } from '@holdfast/contracts';
import { originsOf } from './apps.js';
import { presenceError, presenceUnavailable } from './provider.js';

/** The response of Cloudflare (Turnstile, "Validate the token"); more members may come. */
const responseSchema = z.looseObject({
  success: z.boolean(),
  challenge_ts: z.iso.datetime({ offset: true }).optional(),
  hostname: z.string().optional(),
  action: z.string().optional(),
  'error-codes': z.array(z.string()).optional(),
});
export type TurnstileResponse = z.output<typeof responseSchema>;

/** Cloudflare accepts a token for five minutes, and so do we. */
const ttlMs = 5 * 60_000;
/** The action of the widget (`data-action`), so that a token of a log-in form creates no offer. */
const turnstileAction = 'offer';

/** @throws presence_unavailable */
export function readTurnstileResponse(body: Buffer): TurnstileResponse {
  try {
    return responseSchema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw presenceUnavailable('The response of Turnstile cannot be read.');
  }
}

/**
 * When the token expires. Throws unless the response says that the token is valid, of a page of the app, for an offer
 * and recent.
 */
export function turnstileExpiration(
  response: TurnstileResponse,
  app: Pick<App, 'redirectUris' | 'origins'>,
  now: Date,
): Date {
  if (!response.success) throw errorOf(response['error-codes'] ?? []);
  const { hostname, action, challenge_ts: createdAt } = response;
  if (createdAt === undefined || hostname === undefined)
    throw presenceUnavailable('Turnstile does not say when and where the token was made.');
  const hosts = originsOf(app).map((origin) => new URL(origin).hostname);
  if (!hosts.includes(hostname))
    throw presenceError(
      'presence_invalid',
      `The token was made on ${hostname}, which is no origin of the calling app.`,
    );
  if (action !== turnstileAction)
    throw presenceError('presence_invalid', `The widget must have the action "${turnstileAction}" (data-action).`);
  const expiration = new Date(new Date(createdAt).getTime() + ttlMs);
  if (expiration <= now)
    throw presenceError(
      'presence_expired',
      `The token could be used until ${expiration.toISOString()}; let the visitor solve a new one.`,
    );
  return expiration;
}

/**
 * The visitor can replace an invalid token. Every other code, unknown ones too, is Holdfast's or Cloudflare's error.
 */
function errorOf(codes: string[]) {
  if (
    codes.length > 0 &&
    codes.every((code) => code === 'invalid-input-response' || code === 'missing-input-response')
  ) {
    return presenceError(
      'presence_invalid',
      'Turnstile does not know this token: it is damaged, or was made for another site key.',
    );
  }
  if (codes.length > 0 && codes.every((code) => code === 'timeout-or-duplicate'))
    return presenceError(
      'presence_expired',
      'The token has expired, or was used elsewhere; let the visitor solve a new one.',
    );
  return presenceUnavailable(
    codes.some((code) => code.endsWith('-input-secret'))
      ? "Turnstile does not accept this organization's secret; its operator must set it anew."
      : 'Turnstile cannot verify the token right now.',
  );
}
