import { isDatabaseAway } from '@holdfast/data';
import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { TemporarilyUnavailable } from '../provider/temporarily-unavailable.js';
import type { Endings } from '../state/endings.js';

interface EndingSession {
  uid: string;
  destroy: (this: EndingSession) => Promise<void>;
}

/**
 * Whatever ends a session (signing out, or another customer in the same browser) ends what came of it, and its apps are
 * told: these refresh tokens were not asked for as offline access.
 */
export function endSessionsWhole(provider: Provider, org: string, endings: Endings): void {
  const prototype = provider.Session.prototype as unknown as EndingSession;
  const { destroy } = prototype;
  prototype.destroy = async function () {
    try {
      await endings.endSession(org, this.uid, askedBy(Provider.ctx));
    } catch (error) {
      throw isDatabaseAway(error) ? new TemporarilyUnavailable('the database is away') : error;
    }
    await destroy.call(this);
  };
}

/** The app that proved by an ID token that it asks for the sign-out: it knows. */
function askedBy(ctx: KoaContextWithOIDC | undefined): string | undefined {
  const oidc = ctx?.oidc;
  return oidc?.entities.IdTokenHint ? oidc.client?.clientId : undefined;
}
