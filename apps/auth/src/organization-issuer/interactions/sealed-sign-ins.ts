import { hkdfSync } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import { seal, unseal } from '@holdfast/platform';
import { issuerPath, routes, signInApiPath } from '../../request-context/issuer-paths.js';
import type { HttpContext } from '../../request-context/issuer-request.js';
import { cookieNames, cookieOptions } from '../issuer-cookies.js';
import { interactionSeconds } from '../lifetimes.js';

type Cookies = HttpContext['cookies'];

/** Bytes that every browser keeps of a cookie, its name and attributes included (RFC 6265 §6.1). */
const maxCookieBytes = 4096;
/** `expires`, `samesite`, `secure`, `httponly`, and the words around them. */
const attributeBytes = 120;
/** What a refused passkey or the way out adds later: a sign-in that could begin can also end. */
const reservedBytes = 240;

/** More than a browser can keep: the request is too long. */
export class TooLongToSeal extends Error {}

/**
 * Sign-ins that nobody has shown a passkey for yet: each in a cookie of its browser, encrypted and authenticated, so
 * that an anonymous request stores nothing here. The path of the cookie names the sign-in: tabs do not disturb each
 * other, and no other request carries it. What a sign-in came to, for the app alone, is a second cookie, for the way
 * back.
 */
export class SealedSignIns {
  private readonly names: ReturnType<typeof cookieNames>;

  constructor(
    private readonly shortId: string,
    private readonly baseUrl: string,
    /** The first key seals; the others, of before a rotation, only open. */
    private readonly keys: readonly Buffer[],
  ) {
    this.names = cookieNames(shortId, baseUrl);
  }

  /** Whether or not it has expired, and of whichever browser: that is for the caller to compare. */
  open(cookies: Cookies, uid: string): AdapterPayload | undefined {
    const sealed =
      cookies.get(this.names.request, { signed: false }) ?? cookies.get(this.names.answer, { signed: false });
    if (sealed === undefined) return undefined;
    for (const key of this.keys) {
      try {
        const payload = JSON.parse(
          unseal(this.keyOf(key, uid), Buffer.from(sealed, 'base64url'), this.contextOf(uid)).toString(),
        ) as AdapterPayload;
        return { ...payload, jti: uid, returnTo: this.baseUrl + this.pathOf('answer', uid) };
      } catch {
        // Of another key, another sign-in, or changed.
      }
    }
    return undefined;
  }

  /** @throws TooLongToSeal */
  keep(cookies: Cookies, uid: string, payload: AdapterPayload): void {
    const kind = payload.result === undefined ? 'request' : 'answer';
    const sealed = seal(
      this.keyOf(this.keys[0]!, uid),
      JSON.stringify(withoutKnown(payload)),
      this.contextOf(uid),
    ).toString('base64url');
    const bytes = this.names[kind].length + 1 + sealed.length + this.pathOf(kind, uid).length + attributeBytes;
    const begins = payload.result === undefined && payload.lastSubmission === undefined;
    if (bytes > maxCookieBytes - (begins ? reservedBytes : 0)) throw new TooLongToSeal();
    if (kind === 'answer') this.forget(cookies, uid, 'request');
    cookies.set(this.names[kind], sealed, { ...this.optionsOf(kind, uid), maxAge: interactionSeconds * 1000 });
  }

  /** In this browser, as far as it does what it is told. */
  forget(cookies: Cookies, uid: string, kind: 'request' | 'answer'): void {
    cookies.set(this.names[kind], null, this.optionsOf(kind, uid));
  }

  private optionsOf(kind: 'request' | 'answer', uid: string) {
    return { ...cookieOptions(this.baseUrl), path: this.pathOf(kind, uid), signed: false, overwrite: true };
  }

  private pathOf(kind: 'request' | 'answer', uid: string): string {
    return issuerPath(this.shortId) + (kind === 'request' ? `${signInApiPath}/${uid}` : `${routes.authorization}/${uid}`);
  }

  /** One for each sign-in (RFC 5869): however many are begun, no key sees nonces enough for two to be equal. */
  private keyOf(key: Buffer, uid: string): Buffer {
    return Buffer.from(hkdfSync('sha256', key, '', `sign-in/${this.shortId}/${uid}`, 32));
  }

  private contextOf(uid: string): string {
    return `sign-in ${this.shortId} ${uid}`;
  }
}

/** Each byte counts: what follows from elsewhere, or is never read, is left out. */
function withoutKnown({
  jti: _,
  kind: __,
  returnTo: ___,
  prompt,
  trusted,
  session,
  ...rest
}: AdapterPayload): AdapterPayload {
  const { cookie: ____, ...ofSession } = session ?? {};
  return {
    ...rest,
    ...(prompt && { prompt: { name: prompt.name, reasons: prompt.reasons, details: {} } }),
    ...(trusted && trusted.length > 0 && { trusted }),
    ...(session && { session: ofSession }),
  };
}
