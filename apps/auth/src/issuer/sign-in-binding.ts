import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { equal, sha256 } from '@holdfast/kit';
import { Provider } from 'oidc-provider';
import type { HttpContext } from '../provider/token-request.js';
import { cookieNames, cookieOptions } from './issuer-cookies.js';
import { interactionSeconds } from './lifetimes.js';

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

/**
 * Binds every sign-in to the browser that began it. The library's own cookies hold the id that also stands in the address
 * of the sign-in page, so whoever saw that address could go on with the sign-in and end up with the customer's session and
 * code. Here a cookie holds a secret of the browser, and the sign-in keeps its hash: an id is worth nothing without it, and
 * what somebody else began cannot be finished in this browser.
 */
export function bindSignIns(provider: Provider, shortId: string, baseUrl: string): SignInBinding {
  const names = cookieNames(shortId, baseUrl);
  const { Interaction } = provider;
  const findStored = Interaction.find.bind(Interaction) as (uid: string) => Promise<Interaction | undefined>;
  const prototype = Interaction.prototype as unknown as { save: (this: Interaction, seconds: number) => Promise<string> };
  const { save } = prototype;
  const { IN_PAYLOAD: known } = Interaction as unknown as { IN_PAYLOAD: string[] };
  Object.defineProperty(Interaction, 'IN_PAYLOAD', { value: [...known, 'browser'] });

  const secretIn = (cookies: Cookies): string | undefined => {
    const given = cookies.get(names.browser, { signed: true });
    return given !== undefined && secretForm.test(given) ? given : undefined;
  };
  const findOwn = async (uid: string, cookies: Cookies): Promise<Interaction | undefined> => {
    const secret = secretIn(cookies);
    const found = secret === undefined ? undefined : await findStored(uid);
    return found?.browser !== undefined && equal(Buffer.from(found.browser), Buffer.from(hashOf(secret!))) ? found : undefined;
  };

  // Within the library: where it goes on after the sign-in page.
  Interaction.find = ((uid: string) => findOwn(uid, cookiesOf(Provider.ctx))) as typeof Interaction.find;
  prototype.save = function (seconds) {
    if (this.browser === undefined) {
      const cookies = cookiesOf(Provider.ctx);
      // One for all tabs, prolonged by each beginning.
      const secret = secretIn(cookies) ?? randomBytes(32).toString('base64url');
      cookies.set(names.browser, secret, { ...cookieOptions(baseUrl), maxAge: interactionSeconds * 1000 });
      this.browser = hashOf(secret);
    }
    return save.call(this, seconds);
  };

  return {
    replaceCookies(ctx) {
      const { cookies } = ctx;
      const [get, set] = [cookies.get.bind(cookies), cookies.set.bind(cookies)];
      const uid = resumePath.exec(ctx.path)?.[1];
      cookies.get = (name, options) => (name === names.resume ? uid : get(name, options));
      cookies.set = (name, ...rest) => (name === names.resume || name === names.interaction ? cookies : set(name, ...rest));
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
