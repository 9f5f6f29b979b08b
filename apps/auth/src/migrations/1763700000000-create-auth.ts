import type { MigrationInterface, QueryRunner } from 'typeorm';
import { recordOutboxTables } from '@holdfast/audit-client';
import { namedLockTable } from '@holdfast/data';

const tables = [
  // `issuer` is `platform` or `o/{shortId}`. `private_jwk` is encrypted with KEY_ENCRYPTION_KEY.
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

  // Sessions, completed sign-ins, grants, codes and tokens of the organizations' issuers. An id is often a secret (a
  // code, a token, the cookie of a session), so its SHA-256 is stored, and the payload is encrypted. `account` is the
  // customer, `version` their version at the sign-in from which the row results, `credential` the one with which they
  // signed in. A state transition revokes rows of earlier versions, however close in time.
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
  // from a sign-in before `version` must not be written again. Rows outlive every token.
  `CREATE TABLE session_revocation (
     key bytea PRIMARY KEY,
     version integer NOT NULL DEFAULT 0,
     erased boolean NOT NULL,
     at timestamptz(3) NOT NULL)`,
  'CREATE INDEX session_revocation_at ON session_revocation (at)',

  // Logout notifications (OpenID Connect Back-Channel Logout 1.0) that are not delivered yet. `payload` names customer
  // and session, and is encrypted.
  `CREATE TABLE logout_notification (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     client_id text NOT NULL,
     payload bytea NOT NULL,
     attempts integer NOT NULL DEFAULT 0,
     due_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL)`,
  'CREATE INDEX logout_notification_due ON logout_notification (client_id, due_at)',

  // Audit records of changes, each committed with its change, until audit has appended them.
  ...recordOutboxTables,

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
