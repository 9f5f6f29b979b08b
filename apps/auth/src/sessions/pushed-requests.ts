import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import { isPublic } from '../clients/client-record.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';
import type { StateStore } from './state-store.js';

/**
 * Pushed authorization requests (RFC 9126). The authorization request that names one deletes it: the library would
 * consume it when it issues a code, and until then accept it in any number of browsers. The key of a row contains the
 * client, so that the reference is of no use to another one (§2.2). Rows of public clients, which anybody can push,
 * have a limit of their own.
 */
export function pushedRequestAdapter(store: StateStore, org: string): Adapter {
  const unused = () => Promise.reject(new Error('pushed authorization requests are stored and taken only'));
  return {
    upsert: async (id: string, payload: AdapterPayload, seconds: number) => {
      const { model, key } = rowOf(id);
      await translateDatabaseErrors(store.upsert(org, model, key, payload, seconds));
    },
    find: async (id: string) => {
      // After the sign-in page the library looks again, to consume what the first request has deleted.
      if (Provider.ctx!.oidc.route !== 'authorization') return undefined;
      const { model, key } = rowOf(id);
      const found = await translateDatabaseErrors(store.take(org, model, key));
      return found && { ...found, jti: id };
    },
    consume: () => Promise.resolve(),
    destroy: unused,
    findByUid: unused,
    findByUserCode: unused,
    revokeByGrantId: unused,
  };
}

/** Where a request that the current client has pushed is stored. */
function rowOf(id: string): { model: string; key: string } {
  const { app } = issuerRequestOf(Provider.ctx).client!;
  return {
    model: isPublic(app) ? 'PublicAuthorizationRequest' : 'PushedAuthorizationRequest',
    key: JSON.stringify([app.clientId, id]),
  };
}
