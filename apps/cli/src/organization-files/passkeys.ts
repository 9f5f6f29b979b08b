import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { CommandError } from '../command-error.js';

const batchSize = 1000;

/** What another server needs to accept the passkey: the members of a credential record (WebAuthn Level 3 §4). */
const select = `SELECT json_build_object(
    'subject', p.subject,
    'userHandle', replace(translate(encode(u.handle, 'base64'), '+/=', '-_'), E'\\n', ''),
    'rpId', p.rp_id,
    'credentialId', p.credential_id,
    'publicKey', replace(translate(encode(p.public_key, 'base64'), '+/=', '-_'), E'\\n', ''),
    'signCount', p.counter,
    'transports', p.transports,
    'aaguid', p.aaguid,
    'backupEligible', p.device_type = 'multiDevice',
    'backupState', p.backed_up,
    'createdAt', to_char(p.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS passkey
  FROM issuance.passkey p JOIN issuance.webauthn_user u ON u.subject = p.subject WHERE p.org = $1`;

/**
 * Writes the passkeys of an organization as lines of JSON, all of one instant, to a new file that only its owner may
 * read. There is nothing secret in it: who has it can accept these passkeys at the same RP ID and do nothing else.
 * @returns how many there are
 * @throws CommandError when the file exists; a file that cannot be completed is deleted
 */
export async function exportPasskeys(org: string, file: string, issuance: pg.Client): Promise<number> {
  const opened = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === 'EEXIST'
        ? `${file} exists, and nothing was written.`
        : `${file} cannot be written: ${error.message}`,
    );
  });
  let written = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const batch of batches(org, issuance)) {
      written += batch.length;
      yield batch.map((passkey) => `${JSON.stringify(passkey)}\n`).join('');
    }
  };
  try {
    await pipeline(lines, opened.createWriteStream({ flush: true }));
  } catch (error) {
    // Somebody could take a part of the passkeys for all of them.
    await rm(file, { force: true });
    throw error;
  }
  return written;
}

async function* batches(org: string, issuance: pg.Client): AsyncGenerator<unknown[]> {
  await issuance.query('BEGIN READ ONLY');
  try {
    await issuance.query(`DECLARE passkeys NO SCROLL CURSOR FOR ${select}`, [org]);
    for (;;) {
      const { rows } = await issuance.query<{ passkey: unknown }>(`FETCH ${batchSize} FROM passkeys`);
      if (rows.length === 0) return;
      yield rows.map(({ passkey }) => passkey);
    }
  } finally {
    await issuance.query('ROLLBACK');
  }
}
