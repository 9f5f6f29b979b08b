import type { Pool } from 'pg';
import type { Stack } from './stack.ts';
import { copySchema } from './statements.ts';

const subjectsIn = (to: string): string => `
  INSERT INTO ${to} (key, version, org, app, subject, created_at, claimed, state)
  SELECT sha256(convert_to($1::text || '/' || subject, 'UTF8')), CASE WHEN claimed THEN 2 ELSE 1 END,
    $1::text, $2::text, subject, at, claimed,
    format('{"subject":"%1$s","app":"%2$s","createdAt":"%3$s",' ||
        '"credentials":[{"id":"%4$s","credentialType":"customer","status":"%5$s",%6$s"revocable":true,' ||
          '"holderId":"%1$s",%7$s"createdAt":"%3$s"}],' ||
        '"offers":[{"id":"%8$s","credentialId":"%4$s","status":"%9$s","createdAt":"%3$s","expiresAt":"%10$s"}]}',
      subject, $2::text, iso, credential, CASE WHEN claimed THEN 'issued' ELSE 'offered' END,
      CASE WHEN claimed THEN format('"issuedAt":"%s",', iso) ELSE '' END,
      CASE WHEN claimed THEN format('"holderClaimedAt":"%s","holderApp":"%s",', iso, $2::text) ELSE '' END,
      offer, CASE WHEN claimed THEN 'claimed' ELSE 'open' END, expires)::json
  FROM (
    SELECT gen_random_uuid() AS subject, gen_random_uuid() AS credential, gen_random_uuid() AS offer,
      n % 3 = 0 AS claimed, at,
      to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS iso,
      to_char((at + interval '3 days') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS expires
    FROM (
      SELECT n, date_trunc('milliseconds', now() - n * interval '1 minute' - random() * interval '50 seconds') AS at
      FROM generate_series(1, $3::int) AS n
    ) AS times
  ) AS customers`;

/** Creates an app of acme for the benchmark, and inserts `count` customers straight into the read model. */
export async function seedSubjects(
  stack: Stack,
  pool: Pool,
  count: number,
): Promise<{ clientId: string; clientSecret: string }> {
  const grants = ['offers:write', 'issued:read', 'issued:manage'].flatMap((grant) => ['--grant', grant]);
  const created = await stack.operator(
    'app',
    'create',
    'acme',
    '--name',
    `bench ${Date.now()}`,
    '--kind',
    'web',
    '--redirect-uri',
    'http://localhost:9/callback',
    ...grants,
  );
  const { app, clientSecret } = created as { app: { clientId: string }; clientSecret: string };
  await pool.query(subjectsIn('subjects.subject'), ['acme', app.clientId, count]);
  await pool.query('VACUUM ANALYZE subjects.subject');
  return { clientId: app.clientId, clientSecret };
}

/** Inserts the customers of an app, of whom the read model has been seeded, into issuance, with the same ids. */
export async function seedIssuance(pool: Pool, app: string): Promise<void> {
  const seeded = `FROM subjects.subject CROSS JOIN LATERAL (SELECT state::json->'credentials'->0 AS credential,
      state::json->'offers'->0 AS offer) AS parts WHERE app = $1`;
  for (const insert of [
    `INSERT INTO issuance.subject (id, org, app, version, created_at)
     SELECT subject, org, app, version, created_at ${seeded}`,
    `INSERT INTO issuance.credential
       (id, subject, org, type, status, revocable, created_at, issued_at, holder_claimed_at, holder_app)
     SELECT (credential->>'id')::uuid, subject, org, credential->>'credentialType', credential->>'status', true,
       created_at, (credential->>'issuedAt')::timestamptz, (credential->>'holderClaimedAt')::timestamptz,
       credential->>'holderApp' ${seeded}`,
    // Their expirations would be emitted during the measurement.
    `INSERT INTO issuance.offer
       (id, credential, subject, org, app, token_hash, status, expires_at, created_at, expiration_emitted)
     SELECT (offer->>'id')::uuid, (credential->>'id')::uuid, subject, org, app,
       sha256(convert_to(offer->>'id', 'UTF8')),
       offer->>'status', (offer->>'expiresAt')::timestamptz, created_at, true ${seeded}`,
  ])
    await pool.query(insert, [app]);
  await pool.query('VACUUM ANALYZE issuance.subject, issuance.credential, issuance.offer');
}

/** Copies issuance's tables, with keys and indexes, for the baseline. */
export async function copyTables(pool: Pool): Promise<void> {
  const like = (name: string): string => `CREATE TABLE ${copySchema}.${name} (LIKE issuance.${name} INCLUDING ALL)`;
  await pool.query(`DROP SCHEMA IF EXISTS ${copySchema} CASCADE`);
  await pool.query(`CREATE SCHEMA ${copySchema}`);
  for (const name of ['subject', 'credential', 'offer', 'outbox']) await pool.query(like(name));
  await pool.query(`ALTER TABLE ${copySchema}.credential ADD FOREIGN KEY (subject) REFERENCES ${copySchema}.subject`);
  await pool.query(`ALTER TABLE ${copySchema}.offer ADD FOREIGN KEY (credential) REFERENCES ${copySchema}.credential`);
}
