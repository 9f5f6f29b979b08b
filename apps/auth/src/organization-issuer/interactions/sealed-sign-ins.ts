import { hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AdapterPayload } from 'oidc-provider';
import { seal, unseal } from '@holdfast/platform';
import { issuerPath, routes, signInApiPath } from '../../request-context/issuer-paths.js';
import type { HttpContext } from '../../request-context/issuer-request.js';
import { cookieNames, cookieOptions } from '../issuer-cookies.js';
import { interactionSeconds } from '../lifetimes.js';

type Cookies = HttpContext['cookies'];
/** Which of the cookies: the sign-in, or its result for the redirect to the app, or for the page of a device. */
type Kind = 'request' | 'result' | 'deviceResult';

/** Every browser stores a cookie of this size, its name and attributes included (RFC 6265 §6.1). */
const maxCookieBytes = 4096;
/** `expires`, `samesite`, `secure`, `httponly` and their separators. */
const attributeBytes = 120;
/** For the result that a refused passkey or cancelling adds later, so that a sign-in that began can also end. */
const reservedBytes = 240;

const pathsOf: Record<Kind, string> = {
  request: signInApiPath,
  result: routes.authorization,
  deviceResult: routes.code_verification,
};

/** The request is too long for a cookie. */
export class TooLongToSeal extends Error {}

/**
 * Sign-ins without a verified passkey, so that an anonymous request stores nothing here. The browser stores each in a
 * cookie, encrypted and authenticated. The path of the cookie contains the id of the sign-in, so that tabs do not
 * interfere and no other request carries it. A sign-in that ended with an error is in a second cookie, whose path is
 * that of the redirect to the app.
 */
export class SealedSignIns {
  private readonly names: ReturnType<typeof cookieNames>;

  constructor(
    private readonly shortId: string,
    private readonly baseUrl: string,
    /** The first key encrypts. The others are from before a rotation and only decrypt. */
    private readonly keys: readonly Buffer[],
  ) {
    this.names = cookieNames(shortId, baseUrl);
  }

  /** Decrypts a sign-in. The caller checks its expiration and its browser. */
  unseal(cookies: Cookies, uid: string): AdapterPayload | undefined {
    const sealed =
      cookies.get(this.names.request, { signed: false }) ?? cookies.get(this.names.result, { signed: false });
    if (sealed === undefined) return undefined;
    for (const key of this.keys) {
      try {
        const payload = decoded(unseal(this.keyOf(key, uid), Buffer.from(sealed, 'base64url'), this.contextOf(uid)));
        return { ...payload, jti: uid, returnTo: this.baseUrl + this.pathOf(resultOf(payload), uid) };
      } catch {
        // Sealed with another key or for another sign-in, or changed.
      }
    }
    return undefined;
  }

  /** @throws TooLongToSeal */
  seal(cookies: Cookies, uid: string, payload: AdapterPayload): void {
    const kind = payload.result === undefined ? 'request' : resultOf(payload);
    const begins = payload.result === undefined && payload.lastSubmission === undefined;
    const maxBytes =
      maxCookieBytes -
      (begins ? reservedBytes : 0) -
      (this.nameOf(kind).length + 1 + this.pathOf(kind, uid).length + attributeBytes);
    const plain = JSON.stringify(withoutDerived(payload));
    let sealed = this.sealed(uid, plain);
    // Characters of base64url, of which long values consist, need six bits each.
    if (sealed.length > maxBytes) sealed = this.sealed(uid, compressed(plain));
    if (sealed.length > maxBytes) throw new TooLongToSeal();
    if (kind !== 'request') this.clear(cookies, uid, 'request');
    cookies.set(this.nameOf(kind), sealed, { ...this.optionsOf(kind, uid), maxAge: interactionSeconds * 1000 });
  }

  /** Deletes the cookie in this browser. A copy of it remains valid until it expires. */
  clear(cookies: Cookies, uid: string, kind: Kind): void {
    cookies.set(this.nameOf(kind), null, this.optionsOf(kind, uid));
  }

  /** Where the browser continues after a sign-in on a device. */
  deviceResultUrl(uid: string): string {
    return this.baseUrl + this.pathOf('deviceResult', uid);
  }

  private nameOf(kind: Kind): string {
    return kind === 'request' ? this.names.request : this.names.result;
  }

  private sealed(uid: string, content: string | Buffer): string {
    return seal(this.keyOf(this.keys[0]!, uid), content, this.contextOf(uid)).toString('base64url');
  }

  private optionsOf(kind: Kind, uid: string) {
    return { ...cookieOptions(this.baseUrl), path: this.pathOf(kind, uid), signed: false, overwrite: true };
  }

  private pathOf(kind: Kind, uid: string): string {
    return `${issuerPath(this.shortId)}${pathsOf[kind]}/${uid}`;
  }

  /** A key for each sign-in (RFC 5869), so that no key is used with so many nonces that two could be equal. */
  private keyOf(key: Buffer, uid: string): Buffer {
    return Buffer.from(hkdfSync('sha256', key, '', `sign-in/${this.shortId}/${uid}`, 32));
  }

  private contextOf(uid: string): string {
    return `sign-in ${this.shortId} ${uid}`;
  }
}

function resultOf({ deviceCode }: AdapterPayload): Kind {
  return deviceCode === undefined ? 'result' : 'deviceResult';
}

/** Begins with a byte with which no JSON does. */
function compressed(json: string): Buffer {
  return Buffer.concat([Buffer.of(0), deflateRawSync(json, { level: 9 })]);
}

function decoded(content: Buffer): AdapterPayload {
  const json = content[0] === 0 ? inflateRawSync(content.subarray(1)) : content;
  return JSON.parse(json.toString()) as AdapterPayload;
}

/** Leaves out members that unseal() derives or nobody reads, since the size of a cookie is limited. */
function withoutDerived({
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
