import { texts } from '../texts.ts';

/** Failures of the browser, the device or the network, which both pages show in the same words. */
type CommonFailure =
  | 'cancelled'
  | 'ceremony_expired'
  | 'passkey_invalid'
  | 'unsuitable'
  | 'insecure'
  | 'unsupported'
  | 'rate_limited'
  | 'unavailable';

const { stopped } = texts;

/** What a customer can do something about at once, or only has to wait for, does not look like an alarm. */
const harmless: readonly CommonFailure[] = [
  'cancelled',
  'ceremony_expired',
  'unsupported',
  'rate_limited',
  'unavailable',
];

export function failureTexts(
  why: CommonFailure,
  retryAfter?: number,
): { tone: 'calm' | 'stop'; heading: string; body: string[] } {
  return { tone: harmless.includes(why) ? 'calm' : 'stop', ...wordsOf(why, retryAfter) };
}

function wordsOf(why: CommonFailure, retryAfter: number | undefined): { heading: string; body: string[] } {
  switch (why) {
    case 'cancelled':
      return { heading: stopped.cancelled, body: [stopped.cancelledBody] };
    case 'ceremony_expired':
      return { heading: stopped.tooLate, body: [stopped.tooLateBody] };
    case 'passkey_invalid':
      return { heading: stopped.invalid, body: [stopped.invalidBody] };
    case 'unsuitable':
      return { heading: stopped.unsuitable, body: [stopped.unsuitableBody] };
    case 'insecure':
      return { heading: stopped.insecure, body: [stopped.insecureBody] };
    case 'unsupported':
      return { heading: stopped.unsupported, body: [stopped.unsupportedBody] };
    case 'rate_limited':
      return { heading: stopped.busy, body: [stopped.busyBody(retryAfter)] };
    case 'unavailable':
      return { heading: stopped.unavailable, body: [stopped.unavailableBody] };
  }
}
