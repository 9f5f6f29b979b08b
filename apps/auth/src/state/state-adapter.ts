import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import { originOf } from '../provider/token-request.js';
import { ofDatabase } from '../provider/temporarily-unavailable.js';
import type { StateStore } from './state-store.js';

/** For what the library gives no time of its own: longer than anything that has one. */
const longest = 60 * 24 * 60 * 60;

/** One kind of state of one issuer, as oidc-provider asks for it. */
export function stateAdapter(store: StateStore, org: string, model: string): Adapter {
  const ask = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => (...args: Args): Promise<T> => ofDatabase(work(...args));
  return {
    upsert: ask(async (id: string, payload: AdapterPayload, seconds?: number) => {
      const stored = await store.upsert(org, model, id, payload, seconds ?? longest, originOf(Provider.ctx));
      // It would leave the house with an ID token beside it, and the app be told of no end later.
      if (!stored && /^(Access|Refresh)Token$/.test(model)) throw new errors.InvalidGrant('what the sign-in rests on has ended meanwhile');
    }),
    find: ask((id: string) => store.find(org, model, id)),
    findByUid: ask((uid: string) => store.findByUid(org, model, uid)),
    // The library looks before it consumes; between the two another may have been there.
    consume: ask(async (id: string) => {
      if (!(await store.consume(org, model, id))) throw new errors.InvalidGrant('consumed by another request at the same time');
    }),
    destroy: ask((id: string) => store.destroy(org, model, id)),
    revokeByGrantId: ask((grantId: string) => store.revokeByGrantId(org, model, grantId)),
    findByUserCode: () => Promise.reject(new Error('there is no device flow')),
  };
}
