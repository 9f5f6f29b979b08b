import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';
import { originOf, issuerRequestOf } from '../request-context/issuer-request.js';
import type { StateStore } from './state-store.js';

/** For what the library gives no time of its own: longer than anything that has one. */
const longest = 60 * 24 * 60 * 60;

/** One kind of state of one issuer, as oidc-provider asks for it. */
export function stateAdapter(store: StateStore, org: string, model: string): Adapter {
  const ask =
    <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      translateDatabaseErrors(work(...args));
  return {
    upsert: ask(async (id: string, payload: AdapterPayload, seconds?: number) => {
      const stored = await store.upsert(org, model, id, payload, seconds ?? longest, originOf(Provider.ctx));
      // It would leave the stack with an ID token beside it, and the app be told of no end later.
      if (!stored && /^(Access|Refresh)Token$/.test(model))
        throw new errors.InvalidGrant('what the sign-in rests on has ended meanwhile');
      if (!stored && model === 'Interaction')
        throw new errors.SessionNotFound('the sign-in was completed before, or its customer has been erased');
    }),
    find: ask(async (id: string) => {
      const found = await store.find(org, model, id);
      if (!found?.consumed || !rotates(model) || !(await store.mayRepeat(org, id, found.grantId))) return found;
      // The library would end the family before it asks to consume the token once more.
      return { ...found, consumed: undefined };
    }),
    findByUid: ask((uid: string) => store.findByUid(org, model, uid)),
    // The library looks before it consumes; between the two another may have been there.
    consume: ask(async (id: string) => {
      const outcome = await store.consume(org, model, id, rotates(model));
      if (outcome === 'refused') throw new errors.InvalidGrant('consumed by another request');
      if (outcome === 'repeated') issuerRequestOf(Provider.ctx).repeated = true;
    }),
    destroy: ask(async (id: string) => {
      if (model !== 'Interaction') return store.destroy(org, model, id);
      // Of two who come back with one sign-in at the same moment one goes on.
      if (!(await store.finish(org, model, id))) throw new errors.SessionNotFound('the sign-in was completed before');
    }),
    revokeByGrantId: ask((grantId: string) => store.revokeByGrantId(org, model, grantId)),
    findByUserCode: () => Promise.reject(new Error('there is no device flow')),
  };
}

/** At the token endpoint alone: a consumed token that is revoked takes its family along. */
function rotates(model: string): boolean {
  return model === 'RefreshToken' && Provider.ctx?.oidc.route === 'token';
}
