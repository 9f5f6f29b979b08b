/**
 * Responses stored under Idempotency-Keys, for a service's migrations. `subject` is the customer or person whose
 * erasure empties the response: only the hash of the key stays.
 */
export const idempotencyTables: readonly string[] = [
  `CREATE TABLE idempotency (
     app text NOT NULL,
     key_hash bytea NOT NULL,
     fingerprint bytea,
     response bytea,
     subject uuid,
     event uuid NOT NULL,
     version integer NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     PRIMARY KEY (app, key_hash))`,
  'CREATE INDEX idempotency_subject ON idempotency (subject) WHERE subject IS NOT NULL',
  'CREATE INDEX idempotency_age ON idempotency (created_at)',
];
