import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, Provider, type AdapterPayload } from 'oidc-provider';
import { equal, sha256 } from '@holdfast/platform';
import type { HttpContext } from '../../request-context/issuer-request.js';
import { cookieNames, cookieOptions } from '../issuer-cookies.js';
import { interactionSeconds } from '../lifetimes.js';
import { SealedSignIns, TooLongToSeal } from './sealed-sign-ins.js';

/**
 * A sign-in in progress. `browser` is the hash of the secret of the browser that began it, `deviceCode` the user code
 * of the device that is to be signed in.
 */
export type Interaction = InstanceType<Provider['Interaction']> & { browser?: string; deviceCode?: string };
type Cookies = HttpContext['cookies'];

/** Which device asks to be signed in. */
export interface DeviceRequest {
  userCode: string;
  params: Record<string, unknown>;
}

export interface SignInBinding {
  /** Replaces the library's two cookies: the id of a sign-in is taken from the address, and its browser is checked. */
  replaceCookies(ctx: HttpContext): void;
  /** Begins the sign-in on a device, in this browser. @returns its id */
  beginForDevice(request: IncomingMessage, response: ServerResponse, device: DeviceRequest): Promise<string>;
  /** The sign-in of this browser with this id, as long as the session is still the one in which it began. */
  find(request: IncomingMessage, response: ServerResponse, uid: string): Promise<Interaction | undefined>;
}

const resumePath = /^\/authorize\/([^/]+)$/;
const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** Members of the library's model that its published types lack. */
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
 * Binds every sign-in to the browser that began it. The library's cookies contain the id that is also in the address of
 * the sign-in page, so anyone who saw the address could continue the sign-in and obtain the customer's session and
 * code. Here a cookie contains a secret of the browser, and the sign-in its hash: an id is useless without the secret,
 * and a sign-in that somebody else began cannot be completed in this browser.
 *
 * A sign-in is stored only after its passkey was verified, since anybody can begin one. Before that its browser stores
 * it (sealed-sign-ins.ts). A stored sign-in can be consumed once, and its row remains until its cookie has expired.
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
  /** Sign-ins that were read from the table. */
  const stored = new WeakSet<Interaction>();
  /** The cookies of the request that found a sign-in. */
  const cookiesWith = new WeakMap<Interaction, Cookies>();

  const secretIn = (cookies: Cookies): string | undefined => {
    const secret = cookies.get(names.browser, { signed: true });
    return secret !== undefined && secretForm.test(secret) ? secret : undefined;
  };
  /** The row takes precedence, since the browser may still have the cookie of a completed sign-in. */
  const findAny = async (uid: string, cookies: Cookies): Promise<Interaction | undefined> => {
    const row = await model.adapter.find(uid);
    const payload = row ?? sealed.unseal(cookies, uid);
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

  // The library calls this when the browser returns from the sign-in page.
  // session-audience.ts has called it before, since the app of the sign-in decides which session continues.
  const resumed = new WeakMap<object, Promise<Interaction | undefined>>();
  Interaction.find = ((uid: string) => {
    const ctx = Provider.ctx!;
    // The library continues sign-ins of apps only. Those of devices end on our page (device-sign-in/).
    const ofApp = (found: Interaction | undefined) => (found?.deviceCode === undefined ? found : undefined);
    const finding = resumed.get(ctx) ?? findOwn(uid, cookiesOf(ctx)).then(ofApp);
    resumed.set(ctx, finding);
    return finding;
  }) as typeof Interaction.find;
  prototype.save = async function (seconds) {
    const cookies = cookiesWith.get(this) ?? cookiesOf(Provider.ctx);
    if (this.browser === undefined) {
      // One secret for all tabs. Each new sign-in prolongs its cookie.
      const secret = secretIn(cookies) ?? randomBytes(32).toString('base64url');
      cookies.set(names.browser, secret, { ...cookieOptions(baseUrl), maxAge: interactionSeconds * 1000 });
      this.browser = hashOf(secret);
    }
    if (this.result?.login !== undefined || stored.has(this)) {
      const value = await save.call(this, seconds);
      stored.add(this);
      sealed.clear(cookies, this.uid, 'request');
      return value;
    }
    this.exp = Math.floor(Date.now() / 1000) + seconds;
    const { payload } = await prototype.getValueAndPayload.call(this);
    try {
      sealed.seal(cookies, this.uid, payload);
    } catch (error) {
      throw error instanceof TooLongToSeal
        ? new errors.InvalidRequest('the request is longer than a browser can store: shorten state, nonce, or hints')
        : error;
    }
    return this.uid;
  };
  prototype.destroy = async function () {
    // A sign-in in a cookie has signed nobody in. Presenting it again leads to the same error for the app.
    if (stored.has(this)) await destroy.call(this);
    else {
      const kind = this.deviceCode === undefined ? 'result' : 'deviceResult';
      sealed.clear(cookiesWith.get(this) ?? cookiesOf(Provider.ctx), this.uid, kind);
    }
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
    async beginForDevice(request, response, { userCode, params }) {
      const uid = randomBytes(16).toString('base64url');
      const interaction = model.instantiate({
        ...{ jti: uid, params, deviceCode: userCode, returnTo: sealed.deviceResultUrl(uid) },
        prompt: { name: 'login', reasons: ['device'], details: {} },
      });
      cookiesWith.set(interaction, cookiesOf(provider.createContext(request, response)));
      await interaction.save(interactionSeconds);
      return uid;
    },
    async find(request, response, uid) {
      const found = await findOwn(uid, cookiesOf(provider.createContext(request, response)));
      const { session } = found ?? {};
      if (!session?.uid) return found;
      return (await provider.Session.findByUid(session.uid))?.accountId === session.accountId ? found : undefined;
    },
  };
}

/** @throws outside of a request, where there is no browser */
function cookiesOf(ctx: unknown): Cookies {
  return (ctx as HttpContext).cookies;
}

function hashOf(secret: string): string {
  return sha256(secret).toString('base64url');
}
