import type { MigrationInterface, QueryRunner } from 'typeorm';
import { namedLockTable } from '@holdfast/data';
import { outboxTables, quarantineTables } from '@holdfast/outbox';

const customerScopes = `'offers:write', 'issued:read', 'issued:manage'`;
const adminOperations = `'users:read', 'groups:manage', 'apps:manage', 'audit:read', 'audit:export', 'analytics:read',
  'access_requests:read', 'access_requests:approve', 'entitlements:view', 'webhooks:manage', 'ssf:manage'`;

/** Literals instead of constants of the code: a migration must not change when the code does. */
const tables = [
  // Rows are never deleted: a short ID names an issuer for ever. A null `rp_id` stands for the RP ID of the deployment.
  // While customers move to another RP ID, `earlier_rp_id` is the one before, which may be null as well.
  `CREATE TABLE organization (
     short_id text PRIMARY KEY CHECK (short_id ~ '^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$'),
     name text NOT NULL,
     suspended boolean NOT NULL DEFAULT false,
     rp_id text,
     moving boolean NOT NULL DEFAULT false,
     earlier_rp_id text,
     version int NOT NULL DEFAULT 1,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     CONSTRAINT organization_earlier CHECK (moving OR earlier_rp_id IS NULL))`,
  `CREATE TABLE app (
     client_id text PRIMARY KEY,
     org text NOT NULL REFERENCES organization,
     name text NOT NULL,
     display_name text,
     kind text NOT NULL CHECK (kind IN ('web', 'spa', 'native', 'service')),
     audience text NOT NULL CHECK (audience IN ('customers', 'people')),
     credential_type text,
     redirect_uris text[] NOT NULL,
     post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
     origins text[] NOT NULL DEFAULT '{}',
     backchannel_logout_uri text,
     refresh_tokens boolean NOT NULL DEFAULT true,
     pkce text NOT NULL DEFAULT 'required',
     id_token_alg text CHECK (id_token_alg IN ('RS256', 'ES256')),
     disabled boolean NOT NULL DEFAULT false,
     api_version date NOT NULL,
     version int NOT NULL DEFAULT 1,
     min_version int NOT NULL DEFAULT 0,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     CONSTRAINT app_name UNIQUE (org, name),
     CONSTRAINT app_pkce CHECK (pkce = 'required' OR (pkce = 'optional' AND kind = 'web')),
     UNIQUE (client_id, kind))`,
  // Specification §5. The kind is part of the foreign key, so that a constraint enforces the rule: the operations of
  // the Admin API are granted to service apps only, customer scopes to confidential apps, and those for people to none.
  `CREATE TABLE app_grant (
     client_id text NOT NULL,
     kind text NOT NULL,
     operation text NOT NULL,
     PRIMARY KEY (client_id, operation),
     FOREIGN KEY (client_id, kind) REFERENCES app (client_id, kind),
     CONSTRAINT app_grant_grantable CHECK (
       (kind IN ('web', 'service') AND operation IN (${customerScopes}))
       OR (kind = 'service' AND operation IN (${adminOperations}))))`,
  // A valid secret holds one of two slots, so there are never three.
  `CREATE TABLE app_secret (
     id text PRIMARY KEY,
     client_id text NOT NULL REFERENCES app,
     hash bytea NOT NULL,
     slot smallint NOT NULL CHECK (slot IN (1, 2)),
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     revoked_at timestamptz(3))`,
  'CREATE UNIQUE INDEX app_secret_slot ON app_secret (client_id, slot) WHERE revoked_at IS NULL',
  'CREATE INDEX app_secret_app ON app_secret (client_id)',
  // The revocation feed: seq grows in the order of commits, see access/access-change.ts.
  `CREATE TABLE access_change (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     kind text NOT NULL CHECK (kind IN ('app', 'organization')),
     id text NOT NULL,
     at timestamptz(3) NOT NULL DEFAULT now())`,
  'CREATE INDEX access_change_at ON access_change (at)',
  ...outboxTables,
  ...quarantineTables,
  namedLockTable,
];

export class CreateDirectory1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of tables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE named_lock, quarantined_event, outbox, access_change, app_secret, app_grant, app, organization',
    );
  }
}
