import type { Role } from '@holdfast/contracts';
import { namedStatement, rowOf, statement, violatedUnique, type Sql } from '@holdfast/data';
import { AppError, customerKey } from '@holdfast/platform';
import { personColumns, withInvitation, type Person, type PersonRow } from './person.js';
import type { StoredIndex } from './personal-data/person-index.js';
import type { SealedPerson } from './personal-data/personal-data.js';

/**
 * Rules about owners and about the caller's roles need a state of the whole organization that cannot change until the
 * commit. NO KEY: rows that refer to the organization can be inserted meanwhile.
 */
const lockOrganization = statement(
  'person_lock_organization',
  'SELECT 1 FROM organization WHERE short_id = $1 FOR NO KEY UPDATE',
);
const lock = statement('person_lock', 'SELECT 1 FROM person WHERE id = $1 AND org = $2 FOR NO KEY UPDATE');
const lockToRemove = statement('person_lock_to_remove', 'SELECT 1 FROM person WHERE id = $1 AND org = $2 FOR UPDATE');
/** A statement of its own after the lock: it must see what was committed while it waited. */
const find = statement(
  'person_find',
  `SELECT ${personColumns} FROM person p ${withInvitation} WHERE p.id = $1 AND p.org = $2`,
);
const otherOwners = statement(
  'person_other_owners',
  `SELECT 1 FROM person WHERE org = $1 AND status = 'active' AND 'owner' = ANY (roles) AND id <> $2 LIMIT 1`,
);
const insert = namedStatement(
  'person_insert',
  {
    id: 'uuid',
    org: 'text',
    status: 'text',
    roles: 'text[]',
    email_index: 'bytea',
    personal_data: 'bytea',
    personal_data_key: 'bytea',
    encryption_key_id: 'bytea',
    user_handle: 'bytea',
    version: 'int',
    created_at: 'timestamptz',
    pepper_id: 'bytea',
  },
  (row) => `INSERT INTO person ${rowOf(row)}`,
);
const update = statement(
  'person_update',
  `UPDATE person SET status = $3, roles = $4, version = $5,
     min_version = CASE WHEN $6 THEN $5 ELSE min_version END,
     sign_ins_since_version = CASE WHEN $7 THEN $5 ELSE sign_ins_since_version END
   WHERE id = $1 AND org = $2`,
);
const updateData = statement(
  'person_update_data',
  'UPDATE person SET email_index = $3, personal_data = $4, pepper_id = $5 WHERE id = $1 AND org = $2',
);
const emailTaken = statement(
  'person_email_taken',
  'SELECT 1 FROM person WHERE org = $1 AND email_index = ANY ($2) AND id <> $3',
);
const removeTokens = statement(
  'person_tokens_remove',
  'DELETE FROM person_search_token WHERE org = $1 AND person_id = $2',
);
const addTokens = statement(
  'person_tokens_add',
  `INSERT INTO person_search_token (org, token, created_at, person_id) SELECT $1, token, $3, $2
   FROM unnest($4::bytea[]) AS t (token)`,
);

/** @throws unknown_organization */
export async function lockOrganizationOf(sql: Sql, org: string): Promise<void> {
  if ((await sql.rows(lockOrganization, [org])).length === 0)
    throw new AppError('unknown_organization', `There is no organization "${org}".`);
}

/** Locks and reads. @throws unknown_user */
export async function lockedPerson(sql: Sql, id: string, org: string, toRemove = false): Promise<PersonRow> {
  await sql.rows(toRemove ? lockToRemove : lock, [id, org]);
  return findPerson(sql, id, org);
}

/** @throws unknown_user */
export async function findPerson(sql: Sql, id: string, org: string): Promise<PersonRow> {
  const [row] = await sql.rows<PersonRow>(find, [id, org]);
  if (!row) throw new AppError('unknown_user');
  return row;
}

/** Whether the organization, whose row is locked, has an active owner besides this person. */
export async function hasOtherOwner(sql: Sql, org: string, id: string): Promise<boolean> {
  return (await sql.rows(otherOwners, [org, id])).length > 0;
}

export interface NewPerson {
  sealed: SealedPerson;
  encryptionKeyId: Buffer;
  index: StoredIndex;
}

/** @throws conflict when the e-mail address is taken */
export async function insertPerson(sql: Sql, person: Person, added: NewPerson): Promise<void> {
  const { id, org, status, roles, userHandle, version, createdAt } = person;
  const { personalData, personalDataKey } = added.sealed;
  const { emailHashes, tokens, pepperId } = added.index;
  const values = insert.values({
    id,
    org,
    status,
    roles,
    email_index: emailHashes[0],
    personal_data: personalData,
    personal_data_key: personalDataKey,
    encryption_key_id: added.encryptionKeyId,
    user_handle: userHandle,
    version,
    created_at: createdAt,
    pepper_id: pepperId,
  });
  await requireFreeEmail(sql, person, emailHashes, () => sql.rows(insert, values));
  await sql.rows(addTokens, [org, id, createdAt, tokens]);
}

export async function updatePersonRow(
  sql: Sql,
  { id, org, status, roles }: Person & { roles: Role[] },
  version: number,
  ends: { tokens: boolean; signIns: boolean },
): Promise<void> {
  await sql.rows(update, [id, org, status, roles, version, ends.tokens, ends.signIns]);
}

/** @throws conflict when the e-mail address is taken */
export async function updatePersonalData(
  sql: Sql,
  person: Pick<Person, 'id' | 'org' | 'createdAt'>,
  { personalData, index: { emailHashes, tokens, pepperId } }: { personalData: Buffer; index: StoredIndex },
): Promise<void> {
  const { id, org, createdAt } = person;
  await requireFreeEmail(sql, person, emailHashes, () =>
    sql.rows(updateData, [id, org, emailHashes[0], personalData, pepperId]),
  );
  await sql.rows(removeTokens, [org, id]);
  await sql.rows(addTokens, [org, id, createdAt, tokens]);
}

/**
 * The constraint compares hashes of one pepper. During a rotation others may be stored under the other pepper: the
 * organization is locked, so none of them changes meanwhile.
 */
async function requireFreeEmail(
  sql: Sql,
  { id, org }: Pick<Person, 'id' | 'org'>,
  [, ...others]: Buffer[],
  write: () => Promise<unknown>,
): Promise<void> {
  const taken = () => new AppError('conflict', 'Another person of the organization has this e-mail address.');
  if (others.length > 0 && (await sql.rows(emailTaken, [org, others, id])).length > 0) throw taken();
  try {
    await write();
  } catch (error) {
    if (violatedUnique(error) !== 'person_email') throw error;
    throw taken();
  }
}

const remove = statement('person_remove', 'DELETE FROM person WHERE id = $1 AND org = $2');
/** The event of the erasure and those of the change that removes the person are inserted afterwards. */
const removeEvents = statement('person_remove_events', 'DELETE FROM outbox WHERE aggregate = $1 AND confirmed');
const emptyResponses = statement(
  'person_empty_responses',
  'UPDATE idempotency SET fingerprint = NULL, response = NULL, subject = NULL WHERE subject = $1',
);
/** A key of the person names them. Nobody else can repeat their requests. */
const removeOwnResponses = statement('person_remove_own_responses', 'DELETE FROM idempotency WHERE app = $1');
const addToLedger = statement('person_erased', 'INSERT INTO erased (hash) VALUES ($1) ON CONFLICT DO NOTHING');

/** Deletes a locked person. Only a hash stays, by which a restored backup removes them again (docs/runbook.md). */
export async function erasePerson(sql: Sql, { id, org }: Person): Promise<void> {
  await sql.rows(remove, [id, org]);
  await sql.rows(removeEvents, [id]);
  await sql.rows(emptyResponses, [id]);
  await sql.rows(removeOwnResponses, [id]);
  await sql.rows(addToLedger, [customerKey(org, id)]);
}
