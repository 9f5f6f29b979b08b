import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idempotencyTables, outboxTables } from '@holdfast/outbox';
import { challengeTable } from '@holdfast/passkeys';

const credentialTypes = [
  `CREATE TABLE credential_type (
     org text NOT NULL,
     name text NOT NULL,
     display text NOT NULL,
     validity text,
     renewal_window text,
     revocable boolean NOT NULL,
     holders text[] NOT NULL,
     is_default boolean NOT NULL DEFAULT false,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     version integer NOT NULL DEFAULT 1,
     PRIMARY KEY (org, name))`,
  'CREATE UNIQUE INDEX credential_type_default ON credential_type (org) WHERE is_default',
];

/** The customers, by the identifier that APIs and tokens use. */
const subjects = [
  `CREATE TABLE subject (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     app text NOT NULL,
     version integer NOT NULL,
     created_at timestamptz(3) NOT NULL)`,
];

/**
 * `expiration_emitted_for` is the `expires_at` of which the expiration has been emitted: a renewal sets another one.
 * `sign_ins_since_version` is the customer's version at which the credential was last suspended or revoked; earlier
 * sign-ins do not count. Versions are exact where clocks are not.
 */
const credentials = [
  `CREATE TABLE credential (
     id uuid PRIMARY KEY,
     subject uuid NOT NULL REFERENCES subject ON DELETE CASCADE,
     org text NOT NULL,
     type text NOT NULL,
     status text NOT NULL CHECK (status IN ('offered', 'issued', 'suspended', 'revoked')),
     revocable boolean NOT NULL,
     created_at timestamptz(3) NOT NULL,
     valid_until timestamptz(3),
     issued_at timestamptz(3),
     expires_at timestamptz(3),
     revoked_at timestamptz(3),
     revoked_reason text,
     holder_claimed_at timestamptz(3),
     holder_app text,
     document_number text,
     sign_ins_since_version integer NOT NULL DEFAULT 0,
     expiration_emitted_for timestamptz(3))`,
  // A customer has one credential of a type: a further offer of the type leads to the same one.
  `CREATE UNIQUE INDEX credential_of_type ON credential (subject, type) WHERE status <> 'revoked'`,
  'CREATE INDEX credential_subject ON credential (subject)',
  // Contains only expirations that have not been emitted, so that the search for due ones reads no other rows.
  `CREATE INDEX credential_due ON credential (expires_at)
   WHERE expires_at IS NOT NULL AND status IN ('issued', 'suspended')
     AND expiration_emitted_for IS DISTINCT FROM expires_at`,
];

const offers = [
  `CREATE TABLE offer (
     id uuid PRIMARY KEY,
     credential uuid NOT NULL REFERENCES credential ON DELETE CASCADE,
     subject uuid NOT NULL,
     org text NOT NULL,
     app text NOT NULL,
     token_hash bytea NOT NULL UNIQUE,
     status text NOT NULL CHECK (status IN ('open', 'claimed', 'withdrawn', 'superseded')),
     expires_at timestamptz(3) NOT NULL,
     return_url text,
     created_at timestamptz(3) NOT NULL,
     expiration_emitted boolean NOT NULL DEFAULT false)`,
  `CREATE UNIQUE INDEX offer_open ON offer (credential) WHERE status = 'open'`,
  'CREATE INDEX offer_credential ON offer (credential)',
  'CREATE INDEX offer_subject ON offer (subject)',
  `CREATE INDEX offer_due ON offer (expires_at) WHERE status = 'open' AND NOT expiration_emitted`,
];

/**
 * The WebAuthn user handle of a customer is random, since all organizations of one host share an RP ID and an
 * authenticator keeps one passkey per RP ID and handle. `sign_ins_since_version` is the customer's version since which
 * the present passkey signs in. A credential id is unique in its organization only: otherwise a claim would reveal that
 * another organization has it.
 */
const passkeys = [
  `CREATE TABLE webauthn_user (
     subject uuid PRIMARY KEY REFERENCES subject ON DELETE CASCADE,
     org text NOT NULL,
     handle bytea NOT NULL UNIQUE CHECK (octet_length(handle) = 32),
     sign_ins_since_version integer NOT NULL DEFAULT 0)`,
  `CREATE TABLE passkey (
     credential_id text NOT NULL,
     subject uuid NOT NULL REFERENCES webauthn_user ON DELETE CASCADE,
     org text NOT NULL,
     public_key bytea NOT NULL,
     counter bigint NOT NULL,
     transports text[] NOT NULL,
     aaguid uuid NOT NULL,
     device_type text NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
     backed_up boolean NOT NULL,
     rp_id text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     last_used_at timestamptz(3),
     PRIMARY KEY (credential_id, org))`,
  'CREATE INDEX passkey_subject ON passkey (subject)',
  // Counts the passkeys of one organization without reading others. A sign-in changes neither column.
  'CREATE INDEX passkey_rp_id ON passkey (org, rp_id)',
  ...challengeTable('subject'),
];

/**
 * An organization without a policy has that of product §5: optional, and no Turnstile. The row of a consumed proof
 * commits with its offer or not at all, so a proof allows exactly one.
 */
const presence = [
  `CREATE TABLE presence_policy (
     org text PRIMARY KEY,
     policy text NOT NULL CHECK (policy IN ('optional', 'required')),
     turnstile_secret bytea,
     version integer NOT NULL)`,
  `CREATE TABLE consumed_presence_proof (
     org text NOT NULL,
     provider text NOT NULL,
     id text NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     PRIMARY KEY (org, provider, id))`,
  'CREATE INDEX consumed_presence_proof_expiry ON consumed_presence_proof (expires_at)',
];

/** The erasure ledger: hashes of erased customers, to erase them again after a restore from a backup. */
const erasures = [
  'CREATE TABLE erased (hash bytea PRIMARY KEY, at timestamptz(3) NOT NULL DEFAULT now())',
  ...outboxTables,
  // An erasure finds the events of its customer in the outbox.
  'CREATE INDEX outbox_aggregate ON outbox (aggregate)',
  // Read every second, and empty most of the time.
  `CREATE INDEX outbox_erasure_started ON outbox (aggregate)
   WHERE subject = 'evt.issuance.subject.erasure_started'`,
];

const tables = [
  'erased',
  'idempotency',
  'consumed_presence_proof',
  'presence_policy',
  'challenge',
  'passkey',
  'webauthn_user',
  'offer',
  'credential',
  'subject',
  'credential_type',
  'outbox',
];

export class CreateIssuance1763700000000 implements MigrationInterface {
  name = 'CreateIssuance1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    const statements = [
      credentialTypes,
      subjects,
      credentials,
      offers,
      passkeys,
      presence,
      idempotencyTables,
      erasures,
    ];
    for (const sql of statements.flat()) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`DROP TABLE ${table}`);
  }
}
