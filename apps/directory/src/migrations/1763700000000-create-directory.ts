import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxTables } from '@holdfast/outbox';

const customerScopes = `'offers:write', 'issued:read', 'issued:manage'`;
const adminOperations = `'users:read', 'groups:manage', 'apps:manage', 'audit:read', 'audit:export', 'analytics:read', 'access_requests:read',
  'access_requests:approve', 'entitlements:view', 'webhooks:manage', 'ssf:manage'`;

/** Spelled out and not derived from the code: a migration says what it said on the day it was written. */
const tables = [
  // A short ID names an issuer for ever, so rows stay: there is no way to delete one.
  `CREATE TABLE organization (
     short_id text PRIMARY KEY CHECK (short_id ~ '^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$'),
     name text NOT NULL,
     suspended boolean NOT NULL DEFAULT false,
     version int NOT NULL DEFAULT 1,
     created_at timestamptz(3) NOT NULL DEFAULT now())`,
  `CREATE TABLE app (
     client_id text PRIMARY KEY,
     org text NOT NULL REFERENCES organization,
     name text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('web', 'spa', 'native', 'service')),
     audience text NOT NULL CHECK (audience IN ('customers', 'people')),
     credential_type text,
     redirect_uris text[] NOT NULL,
     disabled boolean NOT NULL DEFAULT false,
     api_version date NOT NULL,
     version int NOT NULL DEFAULT 1,
     min_version int NOT NULL DEFAULT 0,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     CONSTRAINT app_name UNIQUE (org, name),
     UNIQUE (client_id, kind))`,
  // Specification §5. The kind is part of the reference, so that the rule is the table's own: the Admin API goes to
  // service apps alone, the customer scopes to confidential apps, and what is for people only to none.
  `CREATE TABLE app_grant (
     client_id text NOT NULL,
     kind text NOT NULL,
     operation text NOT NULL,
     PRIMARY KEY (client_id, operation),
     FOREIGN KEY (client_id, kind) REFERENCES app (client_id, kind),
     CONSTRAINT app_grant_grantable CHECK (
       (kind IN ('web', 'service') AND operation IN (${customerScopes})) OR (kind = 'service' AND operation IN (${adminOperations}))))`,
  // A live secret holds one of two slots: that is why there can never be three.
  `CREATE TABLE app_secret (
     id text PRIMARY KEY,
     client_id text NOT NULL REFERENCES app,
     hash bytea NOT NULL,
     slot smallint NOT NULL CHECK (slot IN (1, 2)),
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     revoked_at timestamptz(3))`,
  'CREATE UNIQUE INDEX app_secret_slot ON app_secret (client_id, slot) WHERE revoked_at IS NULL',
  'CREATE INDEX app_secret_app ON app_secret (client_id)',
  // The feed of access: seq grows in the order of commits, see access/access-change.ts.
  `CREATE TABLE access_change (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     kind text NOT NULL CHECK (kind IN ('app', 'organization')),
     id text NOT NULL,
     at timestamptz(3) NOT NULL DEFAULT now())`,
  'CREATE INDEX access_change_at ON access_change (at)',
  ...outboxTables,
];

export class CreateDirectory1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['outbox', 'access_change', 'app_secret', 'app_grant', 'app', 'organization'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
