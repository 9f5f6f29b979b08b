import type { MigrationInterface, QueryRunner } from 'typeorm';
import { namedLockTable } from '@holdfast/data';

const tables = [
  // `issuer`: whose key it is, `platform` or an organization. `private_jwk` is sealed under KEY_ENCRYPTION_KEY.
  `CREATE TABLE signing_key (
     kid text PRIMARY KEY,
     issuer text NOT NULL,
     alg text NOT NULL DEFAULT 'EdDSA',
     private_jwk bytea NOT NULL,
     signs_from timestamptz(3) NOT NULL,
     retired_at timestamptz(3),
     changed_at timestamptz(3) NOT NULL DEFAULT now(),
     created_at timestamptz(3) NOT NULL DEFAULT now())`,
  'CREATE INDEX signing_key_issuer ON signing_key (issuer, signs_from)',
  'CREATE INDEX signing_key_changed ON signing_key (changed_at)',

  // Sessions, sign-ins under way, grants, codes and tokens of the organizations' issuers. An id is often itself the
  // secret (a code, a token, a session's cookie): only its SHA-256 is stored, and the payload is sealed. `account` is
  // the customer; `version` is the customer's at the sign-in from which the row results, `credential` the one used. A
  // state transition revokes what results from earlier versions, however close by the clock.
  `CREATE TABLE oidc_state (
     org text NOT NULL,
     model text NOT NULL,
     id bytea NOT NULL,
     uid bytea,
     grant_id bytea,
     account uuid,
     version integer,
     credential text,
     payload bytea NOT NULL,
     consumed_at timestamptz(3),
     expires_at timestamptz(3) NOT NULL,
     PRIMARY KEY (org, model, id))`,
  'CREATE INDEX oidc_state_uid ON oidc_state (org, model, uid) WHERE uid IS NOT NULL',
  'CREATE INDEX oidc_state_grant ON oidc_state (org, grant_id) WHERE grant_id IS NOT NULL',
  'CREATE INDEX oidc_state_account ON oidc_state (org, account) WHERE account IS NOT NULL',
  'CREATE INDEX oidc_state_expires ON oidc_state (expires_at)',

  // One row per customer (customerKey() of the subject) or credential whose sessions are revoked: state that results
  // from a sign-in before `version` must not be written again. Rows are kept longer than any token lives.
  `CREATE TABLE session_revocation (
     key bytea PRIMARY KEY,
     version integer NOT NULL DEFAULT 0,
     erased boolean NOT NULL,
     at timestamptz(3) NOT NULL)`,
  'CREATE INDEX session_revocation_at ON session_revocation (at)',

  // Back-channel logout notifications (OpenID Connect Back-Channel Logout 1.0) that are not delivered yet. `payload`, the
  // customer and the session that the notification is about, is sealed.
  `CREATE TABLE logout_notification (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     client_id text NOT NULL,
     payload bytea NOT NULL,
     attempts integer NOT NULL DEFAULT 0,
     due_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL)`,
  'CREATE INDEX logout_notification_due ON logout_notification (client_id, due_at)',

  // Audit records of changes, each committed with its change, until audit has appended them. A record may name a
  // customer, so it is sealed.
  `CREATE TABLE record_outbox (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     record bytea NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT now())`,
  'CREATE INDEX record_outbox_created ON record_outbox (created_at, id)',

  namedLockTable,
];

export class CreateAuth1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of tables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE signing_key, oidc_state, session_revocation, logout_notification, record_outbox, named_lock',
    );
  }
}
