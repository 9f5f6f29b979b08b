import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, Provider, type AdapterPayload } from 'oidc-provider';
import { equal, sha256 } from '@holdfast/platform';
import type { HttpContext } from '../../request-context/issuer-request.js';
import { cookieNames, cookieOptions } from '../issuer-cookies.js';
import { interactionSeconds } from '../lifetimes.js';
import { SealedSignIns, TooLongToSeal } from './sealed-sign-ins.js';

/** A sign-in under way. `browser` is the hash of the secret of the browser that began it. */
export type Interaction = InstanceType<Provider['Interaction']> & { browser?: string };
type Cookies = HttpContext['cookies'];

export interface SignInBinding {
  /** Stands in for the library's two cookies. The id of a sign-in comes from the address; its browser decides. */
  replaceCookies(ctx: HttpContext): void;
  /** The sign-in of this browser with this id, as long as the session is still the one in which it began. */
  find(request: IncomingMessage, response: ServerResponse, uid: string): Promise<Interaction | undefined>;
}

const resumePath = /^\/authorize\/([^/]+)$/;
const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** What the library's model has, beyond its published types. */
interface Model {
  adapter: { find: (uid: string) => Promise<AdapterPayload | undefined> };
  verify: (stored: AdapterPayload) => Promise<AdapterPayload>;
  instantiate: (payload: AdapterPayload) => Interaction;
  IN_PAYLOAD: string[];
}

interface ModelPrototype {
  save: (this: Interaction, seconds: number) => Promise<string>;
  destroy: (this: Interaction) => Promise<void>;
  getValueAndPayload: (this: Interaction) => Promise<{ payload: AdapterPayload }>;
}

/**
 * Binds every sign-in to the browser that began it. The library's own cookies hold the id that also stands in the
 * address of the sign-in page, so whoever saw that address could go on with the sign-in and end up with the customer's
 * session and code. Here a cookie holds a secret of the browser, and the sign-in keeps its hash: an id is worth nothing
 * without it, and what somebody else began cannot be finished in this browser.
 *
 * Stored is a sign-in only once a passkey was shown for it, since anybody can begin one; before that its browser keeps
 * it (sealed-sign-ins.ts). What is stored can be used once, and a trace of it stays for as long as its cookie could
 * come back.
 */
export function bindSignIns(
  provider: Provider,
  shortId: string,
  baseUrl: string,
  keys: readonly Buffer[],
): SignInBinding {
  const names = cookieNames(shortId, baseUrl);
  const sealed = new SealedSignIns(shortId, baseUrl, keys);
  const { Interaction } = provider;
  const model = Interaction as unknown as Model;
  const prototype = Interaction.prototype as unknown as ModelPrototype;
  const { save, destroy } = prototype;
  Object.defineProperty(Interaction, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, 'browser'] });
  /** Those that came from the table, and the cookies of the request that found each. */
  const stored = new WeakSet<Interaction>();
  const cookiesWith = new WeakMap<Interaction, Cookies>();

  const secretIn = (cookies: Cookies): string | undefined => {
    const given = cookies.get(names.browser, { signed: true });
    return given !== undefined && secretForm.test(given) ? given : undefined;
  };
  /** What is in the table decides: the cookie of a sign-in that is over may still be there. */
  const findAny = async (uid: string, cookies: Cookies): Promise<Interaction | undefined> => {
    const row = await model.adapter.find(uid);
    const payload = row ?? sealed.open(cookies, uid);
    if (!payload || payload.consumed !== undefined) return undefined;
    const found = await model.verify(payload).then(model.instantiate.bind(model), () => undefined);
    if (found && row) stored.add(found);
    return found;
  };
  const findOwn = async (uid: string, cookies: Cookies): Promise<Interaction | undefined> => {
    const secret = secretIn(cookies);
    const found = secret === undefined ? undefined : await findAny(uid, cookies);
    if (found?.browser === undefined || !equal(Buffer.from(found.browser), Buffer.from(hashOf(secret!))))
      return undefined;
    cookiesWith.set(found, cookies);
    return found;
  };

  // Within the library: where it goes on after the sign-in page.
  Interaction.find = ((uid: string) => findOwn(uid, cookiesOf(Provider.ctx))) as typeof Interaction.find;
  prototype.save = async function (seconds) {
    const cookies = cookiesWith.get(this) ?? cookiesOf(Provider.ctx);
    if (this.browser === undefined) {
      // One for all tabs, prolonged by each beginning.
      const secret = secretIn(cookies) ?? randomBytes(32).toString('base64url');
      cookies.set(names.browser, secret, { ...cookieOptions(baseUrl), maxAge: interactionSeconds * 1000 });
      this.browser = hashOf(secret);
    }
    if (this.result?.login !== undefined || stored.has(this)) {
      const value = await save.call(this, seconds);
      stored.add(this);
      sealed.forget(cookies, this.uid, 'request');
      return value;
    }
    this.exp = Math.floor(Date.now() / 1000) + seconds;
    const { payload } = await prototype.getValueAndPayload.call(this);
    try {
      sealed.keep(cookies, this.uid, payload);
    } catch (error) {
      throw error instanceof TooLongToSeal
        ? new errors.InvalidRequest('the request is longer than a browser can keep: shorten state, nonce, or hints')
        : error;
    }
    return this.uid;
  };
  prototype.destroy = async function () {
    // Of those in a cookie none has signed anybody in: to come back with one leads to the same answer for the app.
    if (stored.has(this)) await destroy.call(this);
    else sealed.forget(cookiesWith.get(this) ?? cookiesOf(Provider.ctx), this.uid, 'answer');
  };

  return {
    replaceCookies(ctx) {
      const { cookies } = ctx;
      const [get, set] = [cookies.get.bind(cookies), cookies.set.bind(cookies)];
      const uid = resumePath.exec(ctx.path)?.[1];
      cookies.get = (name, options) => (name === names.resume ? uid : get(name, options));
      cookies.set = (name, ...rest) =>
        name === names.resume || name === names.interaction ? cookies : set(name, ...rest);
    },
    async find(request, response, uid) {
      const found = await findOwn(uid, cookiesOf(provider.createContext(request, response)));
      const { session } = found ?? {};
      if (!session?.uid) return found;
      return (await provider.Session.findByUid(session.uid))?.accountId === session.accountId ? found : undefined;
    },
  };
}

/** Throws outside of a request: without a browser there is no sign-in. */
function cookiesOf(ctx: unknown): Cookies {
  return (ctx as HttpContext).cookies;
}

function hashOf(secret: string): string {
  return sha256(secret).toString('base64url');
}
