import type { MigrationInterface, QueryRunner } from 'typeorm';
import { challengeTable } from '@holdfast/passkeys';

/**
 * The e-mail address and name of a person are encrypted under a key of the person (`personal_data_key`, itself
 * encrypted). Removing the person deletes both. `email_index` is a keyed hash of the normalized address: it finds a
 * person by address and keeps addresses unique in an organization. Search tokens are keyed hashes of prefixes. Sign-ins
 * from before `sign_ins_since_version` do not count, and platform tokens issued before `min_version` are refused.
 */
const people = [
  `CREATE TABLE person (
     id uuid PRIMARY KEY,
     org text NOT NULL REFERENCES organization,
     status text NOT NULL CHECK (status IN ('invited', 'active', 'deactivated')),
     roles text[] NOT NULL DEFAULT '{}'
       CHECK (roles <@ ARRAY['owner', 'admin', 'auditor', 'approver', 'support']),
     email_index bytea NOT NULL,
     personal_data bytea NOT NULL,
     personal_data_key bytea NOT NULL,
     encryption_key_id bytea NOT NULL,
     user_handle bytea NOT NULL UNIQUE CHECK (octet_length(user_handle) = 32),
     version int NOT NULL DEFAULT 1,
     sign_ins_since_version int NOT NULL DEFAULT 0,
     min_version int NOT NULL DEFAULT 0,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     last_sign_in_at timestamptz(3),
     UNIQUE (org, id),
     CONSTRAINT person_email UNIQUE (org, email_index))`,
  // encryption_key_id: the KEY_ENCRYPTION_KEY of the row. Without it no rotation could be reported as finished.
  'CREATE INDEX person_encrypted ON person (encryption_key_id, id)',
  'CREATE TABLE encryption_key (id bytea PRIMARY KEY, since timestamptz NOT NULL DEFAULT clock_timestamp())',
  'CREATE INDEX person_created ON person (org, created_at DESC, id DESC)',
  'CREATE INDEX person_status ON person (org, status, created_at DESC, id DESC)',
  `CREATE INDEX person_with_roles ON person (org, created_at DESC, id DESC) WHERE roles <> '{}'`,
  `CREATE INDEX person_owner ON person (org) WHERE status = 'active' AND 'owner' = ANY (roles)`,
  `CREATE TABLE person_search_token (
     org text NOT NULL,
     token bytea NOT NULL,
     created_at timestamptz(3) NOT NULL,
     person_id uuid NOT NULL,
     PRIMARY KEY (org, token, created_at, person_id),
     FOREIGN KEY (org, person_id) REFERENCES person (org, id) ON DELETE CASCADE)`,
  'CREATE INDEX person_search_token_person ON person_search_token (org, person_id)',
  // A link is stored as its keyed hash. Only the newest of a person is open.
  `CREATE TABLE invitation (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     person_id uuid NOT NULL,
     token_hash bytea NOT NULL UNIQUE,
     status text NOT NULL CHECK (status IN ('open', 'accepted', 'withdrawn', 'superseded')),
     replaces_passkeys boolean NOT NULL,
     created_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     FOREIGN KEY (org, person_id) REFERENCES person (org, id) ON DELETE CASCADE)`,
  `CREATE UNIQUE INDEX invitation_open ON invitation (org, person_id) WHERE status = 'open'`,
  'CREATE INDEX invitation_person ON invitation (org, person_id)',
  // A credential id is unique in its organization only: otherwise a registration would reveal that another has it.
  `CREATE TABLE person_passkey (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     person_id uuid NOT NULL,
     credential_id text NOT NULL,
     name text NOT NULL,
     public_key bytea NOT NULL,
     counter bigint NOT NULL,
     transports text[] NOT NULL,
     aaguid uuid NOT NULL,
     device_type text NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
     backed_up boolean NOT NULL,
     rp_id text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     last_used_at timestamptz(3),
     UNIQUE (credential_id, org),
     FOREIGN KEY (org, person_id) REFERENCES person (org, id) ON DELETE CASCADE)`,
  'CREATE INDEX person_passkey_person ON person_passkey (org, person_id)',
  ...challengeTable('person'),
];

/** `name_key` is the normalized name: two groups of an organization cannot differ in case or spelling variants only. */
const groups = [
  `CREATE TABLE person_group (
     id uuid PRIMARY KEY,
     org text NOT NULL REFERENCES organization,
     name text NOT NULL,
     name_key text NOT NULL,
     description text,
     version int NOT NULL DEFAULT 1,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     UNIQUE (org, id),
     CONSTRAINT person_group_name UNIQUE (org, name_key))`,
  'CREATE INDEX person_group_created ON person_group (org, created_at DESC, id DESC)',
  'CREATE INDEX person_group_name_prefix ON person_group (org, name_key text_pattern_ops)',
  `CREATE TABLE group_member (
     org text NOT NULL,
     group_id uuid NOT NULL,
     person_id uuid NOT NULL,
     added_at timestamptz(3) NOT NULL DEFAULT now(),
     PRIMARY KEY (org, group_id, person_id),
     FOREIGN KEY (org, group_id) REFERENCES person_group (org, id) ON DELETE CASCADE,
     FOREIGN KEY (org, person_id) REFERENCES person (org, id) ON DELETE CASCADE)`,
  'CREATE INDEX group_member_added ON group_member (org, group_id, added_at DESC, person_id DESC)',
  'CREATE INDEX group_member_person ON group_member (org, person_id, added_at DESC, group_id DESC)',
];

/**
 * Who may sign in to an app of audience `people`. An assignment that an access request created ends at `expires_at`:
 * it does not count from that second on, and a job deletes it. The reason of a request is encrypted like a name.
 */
const assignments = [
  `CREATE TABLE assignment (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     client_id text NOT NULL REFERENCES app,
     person_id uuid,
     group_id uuid,
     access_request_id uuid,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     expires_at timestamptz(3),
     CONSTRAINT assignment_principal CHECK ((person_id IS NULL) <> (group_id IS NULL)),
     CONSTRAINT assignment_request CHECK (access_request_id IS NULL OR person_id IS NOT NULL),
     FOREIGN KEY (org, person_id) REFERENCES person (org, id) ON DELETE CASCADE,
     FOREIGN KEY (org, group_id) REFERENCES person_group (org, id) ON DELETE CASCADE)`,
  `CREATE UNIQUE INDEX assignment_person ON assignment (org, person_id, client_id)
     WHERE person_id IS NOT NULL AND access_request_id IS NULL`,
  'CREATE INDEX assignment_of_person ON assignment (org, person_id, client_id) WHERE person_id IS NOT NULL',
  'CREATE UNIQUE INDEX assignment_group ON assignment (org, group_id, client_id) WHERE group_id IS NOT NULL',
  'CREATE INDEX assignment_app ON assignment (org, client_id, created_at DESC, id DESC)',
  'CREATE INDEX assignment_expiry ON assignment (expires_at) WHERE expires_at IS NOT NULL',
  `CREATE TABLE access_request (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     person_id uuid NOT NULL,
     client_id text NOT NULL REFERENCES app,
     reason bytea NOT NULL,
     status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'withdrawn', 'expired')),
     requested_seconds int NOT NULL,
     granted_seconds int,
     decided_by_type text CHECK (decided_by_type IN ('person', 'app', 'operator')),
     decided_by text,
     decision_reason bytea,
     created_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     decided_at timestamptz(3),
     FOREIGN KEY (org, person_id) REFERENCES person (org, id) ON DELETE CASCADE)`,
  `CREATE UNIQUE INDEX access_request_pending ON access_request (org, person_id, client_id) WHERE status = 'pending'`,
  'CREATE INDEX access_request_created ON access_request (org, created_at DESC, id DESC)',
  'CREATE INDEX access_request_status ON access_request (org, status, created_at DESC, id DESC)',
  'CREATE INDEX access_request_person ON access_request (org, person_id, created_at DESC, id DESC)',
  'CREATE INDEX access_request_app ON access_request (org, client_id, created_at DESC, id DESC)',
  `CREATE INDEX access_request_expiry ON access_request (expires_at) WHERE status = 'pending'`,
];

/** Changes of a person end their tokens like those of an app. */
const revocationFeed = [
  'ALTER TABLE access_change DROP CONSTRAINT access_change_kind_check',
  `ALTER TABLE access_change ADD CONSTRAINT access_change_kind_check CHECK (kind IN ('app', 'organization', 'person'))`,
  `CREATE INDEX access_change_person ON access_change (at) WHERE kind = 'person'`,
];

const erasures = [
  // Hashes of removed people, by which a restored backup removes them again (docs/runbook.md).
  'CREATE TABLE erased (hash bytea PRIMARY KEY, at timestamptz(3) NOT NULL DEFAULT now())',
  // A removal finds the events of its person in the outbox.
  'CREATE INDEX outbox_aggregate ON outbox (aggregate)',
  // Read every second, and empty most of the time.
  `CREATE INDEX outbox_erasure_started ON outbox (aggregate) WHERE subject = 'evt.directory.user.erasure_started'`,
];

export class People1764300000000 implements MigrationInterface {
  name = 'People1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [people, groups, assignments, revocationFeed, erasures].flat()) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM access_change WHERE kind = 'person'`);
    for (const index of ['outbox_erasure_started', 'outbox_aggregate', 'access_change_person'])
      await runner.query(`DROP INDEX ${index}`);
    await runner.query('ALTER TABLE access_change DROP CONSTRAINT access_change_kind_check');
    await runner.query(
      `ALTER TABLE access_change ADD CONSTRAINT access_change_kind_check CHECK (kind IN ('app', 'organization'))`,
    );
    for (const table of ['access_request', 'assignment', 'group_member', 'person_group', 'challenge', 'person_passkey'])
      await runner.query(`DROP TABLE ${table}`);
    for (const table of ['invitation', 'person_search_token', 'person', 'encryption_key', 'erased'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
