import { namedStatement } from '@holdfast/data';

/**
 * Rejects a late write of state that results from a revoked sign-in: the customer was erased, or their passkey or
 * credential replaced, removed, suspended, revoked or expired. A sign-in in progress results from no earlier sign-in.
 * When the assignment of a person has ended, their grant for the app is deleted (people/person-revocations.ts): no code
 * or token of it is stored afterwards.
 */
export const upsertState = namedStatement(
  'oidc_upsert',
  {
    revocationKeys: 'bytea[]',
    org: 'text',
    model: 'text',
    id: 'bytea',
    uid: 'bytea',
    grant_id: 'bytea',
    account: 'uuid',
    version: 'int',
    credential: 'text',
    passkey: 'text',
    payload: 'bytea',
    expires_at: 'timestamptz',
    client_id: 'text',
  },
  ({ revocationKeys, ...state }) =>
    `INSERT INTO oidc_state (${Object.keys(state).join(', ')})
   SELECT ${Object.values(state).join(', ')}
   WHERE NOT EXISTS (
     SELECT 1 FROM session_revocation
     WHERE key = ANY (${revocationKeys})
       AND (erased OR (${state.model} <> 'Interaction' AND version > coalesce(${state.version}, 0))))
   AND (${state.client_id}::text IS NULL OR ${state.model} = 'Grant' OR EXISTS (
     SELECT 1 FROM oidc_state g WHERE g.org = ${state.org} AND g.model = 'Grant' AND g.id = ${state.grant_id}))
   ON CONFLICT (org, model, id) DO UPDATE SET uid = excluded.uid, grant_id = excluded.grant_id,
     account = excluded.account, version = excluded.version, credential = excluded.credential,
     passkey = excluded.passkey, payload = excluded.payload, expires_at = excluded.expires_at,
     client_id = excluded.client_id
     WHERE ${state.model} <> 'Interaction' OR oidc_state.consumed_at IS NULL
   RETURNING (xmax = 0) AS inserted`,
);
