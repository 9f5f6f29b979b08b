import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import { currentIssuerRequest, issuerRequestOf, originOf } from '../request-context/issuer-request.js';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';
import { requirePace } from './device-polls.js';
import { pushedRequestAdapter } from './pushed-requests.js';
import type { StateStore } from './state-store.js';

/** For state without a lifetime; longer than all other state lives. */
const defaultTtlSeconds = 60 * 24 * 60 * 60;

const ofGrants = ['AuthorizationCode', 'AccessToken', 'RefreshToken', 'DeviceCode'];

/** So long a device gets `expired_token` for its code (RFC 8628 §3.5), and then `invalid_grant`. */
const keptExpiredSeconds = 10 * 60;

/** The adapter through which oidc-provider stores one kind of state of one issuer. */
export function stateAdapter(store: StateStore, org: string, model: string): Adapter {
  if (model === 'PushedAuthorizationRequest') return pushedRequestAdapter(store, org);
  const translated =
    <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      translateDatabaseErrors(work(...args));
  return {
    upsert: translated(async (id: string, payload: AdapterPayload, seconds?: number) => {
      const ttlSeconds = (seconds ?? defaultTtlSeconds) + (model === 'DeviceCode' ? keptExpiredSeconds : 0);
      const stored = await store.upsert(org, model, id, payload, ttlSeconds, originOf(Provider.ctx));
      // Otherwise the response would contain this token and an ID token, and the app would never get a notification.
      if (!stored && /^(Access|Refresh)Token$/.test(model))
        throw new errors.InvalidGrant('the sign-in was revoked meanwhile');
      if (!stored && model === 'Interaction')
        throw new errors.SessionNotFound('the sign-in was completed before, or its customer has been erased');
    }),
    find: translated(async (id: string) => {
      const found = await find(store, org, model, id);
      if (found && model === 'DeviceCode') requirePace(id, found);
      if (!found?.consumed || !rotates(model) || !(await store.mayRepeat(org, id, found.grantId))) return found;
      // With `consumed` the library would revoke the family before it calls consume().
      return { ...found, consumed: undefined };
    }),
    findByUid: translated((uid: string) => store.findByUid(org, model, uid)),
    // The library reads and then consumes. A concurrent request may have consumed it in between.
    consume: translated(async (id: string) => {
      const outcome = await store.consume(org, model, id, rotates(model));
      if (outcome === 'refused') throw new errors.InvalidGrant('consumed by another request');
      if (outcome === 'repeated') issuerRequestOf(Provider.ctx).repeated = true;
    }),
    destroy: translated(async (id: string) => {
      if (model !== 'Interaction') return store.destroy(org, model, id);
      // One of two concurrent requests with the same sign-in succeeds.
      if (!(await store.finish(org, model, id))) throw new errors.SessionNotFound('the sign-in was completed before');
    }),
    revokeByGrantId: translated((grantId: string) => store.revokeByGrantId(org, model, grantId)),
    findByUserCode: () => Promise.reject(new Error('the pages of the library for devices are not in use')),
  };
}

/**
 * The library looks up the grant of each code or token that it finds. Both come with one statement, and the request
 * keeps the grant until the library asks for it.
 */
async function find(store: StateStore, org: string, model: string, id: string): Promise<AdapterPayload | undefined> {
  const request = currentIssuerRequest(Provider.ctx);
  if (request && ofGrants.includes(model)) {
    const found = await store.findWithGrant(org, model, id);
    if (found?.grant) request.grant = found.grant;
    return found?.token;
  }
  const { grant } = request ?? {};
  if (!request || model !== 'Grant' || grant?.jti !== id) return store.find(org, model, id);
  delete request.grant;
  return grant;
}

/** Only at the token endpoint: revoking a consumed refresh token revokes its family. */
function rotates(model: string): boolean {
  return model === 'RefreshToken' && Provider.ctx?.oidc.route === 'token';
}
