import { hash } from 'node:crypto';
import { actionNames, retentionOf, type ExportedAuditEntry } from '@holdfast/contracts';
import { leafHash } from '@holdfast/tlog';
import { leafFacts, pseudonymsIn, type LeafFacts, type UnmappedPseudonyms } from './leaf-facts.js';

/** What one entry says about itself. */
export interface CheckedEntry {
  /** Its own hash; absent when only the tree's is left. */
  hash?: Buffer;
  /** What was logged; absent when its bytes are not. */
  record?: LeafFacts;
  /** Names whose pseudonyms have no salt, so that nothing tells whether they are right. */
  unprovable: number;
  /** It does not show personal values that were logged, and the name of that person opens. */
  closed: boolean;
  /** Pseudonyms in it that do not open. */
  unmapped?: UnmappedPseudonyms;
  /** Whether a customer is named in it whose name opens. */
  customerOpens: boolean;
  /** What is wrong with it, in sentences without their subject: `was changed: …`. */
  problems: string[];
}

type Names = NonNullable<ExportedAuditEntry['names']>;
type Personal = NonNullable<ExportedAuditEntry['personal']>;

/**
 * Compares all that comes with an entry with its exact bytes, which alone are what the tree proves. @throws Error when
 * it is no entry
 */
export function checkEntry(entry: ExportedAuditEntry, treeHash: Buffer): CheckedEntry {
  const checked: CheckedEntry = { unprovable: 0, closed: false, customerOpens: false, problems: [] };
  const { leaf, found, names, personal } = entry;
  if (leaf === undefined) {
    if (found || names || personal)
      checked.problems.push('comes without its bytes, so what is shown of it is proven by nothing');
    return checked;
  }
  const bytes = Buffer.from(leaf, 'base64');
  // Node.js passes over what is not base64; here it was put in by somebody.
  if (Math.ceil(bytes.length / 3) * 4 !== leaf.length) throw new Error('its bytes are not in base64');
  checked.hash = leafHash(bytes);
  if (!checked.hash.equals(treeHash)) {
    // Its columns may still be right: then they say what was logged. Comparing the two would only say the same twice.
    checked.problems.push('was changed: its bytes do not have the hash that the tree holds for it');
    return checked;
  }
  const record = leafFacts(bytes);
  checked.record = record;
  if (found) checkFound(found, record, checked.problems);
  else checked.problems.push('comes without the columns by which it is found');
  if (names) checkNames(names, record, checked);
  if (personal) checkPersonal(personal, record.personal, checked.problems);
  checkClass(entry.class, record.action, checked.problems);
  checkOpen(bytes, record, names ?? [], checked);
  checked.closed = record.person !== undefined && isClosed(record.person, record.personal, entry);
  return checked;
}

function checkFound(found: NonNullable<ExportedAuditEntry['found']>, record: LeafFacts, problems: string[]): void {
  const column = (name: string, shown: string, logged: string) => {
    if (shown !== logged)
      problems.push(
        `is found by the wrong ${name}: the column says ${JSON.stringify(shown)}, and what was logged says ${JSON.stringify(logged)}`,
      );
  };
  column('id', found.id, record.id);
  column('time', found.occurredAt, record.occurredAt);
  column('action', found.action, record.action);
  column('actor', found.actor, record.actor);
  column('outcome', found.outcome, record.outcome);
  // Once each: a target may have been named twice.
  if (
    found.targets.some((id, i) => found.targets.indexOf(id) !== i || !record.targets.includes(id)) ||
    record.targets.some((id) => !found.targets.includes(id))
  ) {
    problems.push(
      `is found by the wrong targets: ${JSON.stringify(found.targets)}, and what was logged names ${JSON.stringify(record.targets)}`,
    );
  }
}

/** Of an action that is newer than this program nobody here knows the class. */
const classes = new Map<string, string>(actionNames.map((action) => [action, retentionOf(action)]));

function checkClass(shown: string | undefined, action: string, problems: string[]): void {
  const logged = classes.get(action);
  if (shown !== undefined && logged !== undefined && shown !== logged) {
    problems.push(
      `lies in the wrong class: the column says ${JSON.stringify(shown)}, and what was logged, ${action}, is of the class "${logged}"; lists do not find it there, and it would be dropped with that class`,
    );
  }
}

/** Erasing takes names and values together. */
function isClosed(
  person: string,
  hashes: LeafFacts['personal'],
  { names, personal = {} }: ExportedAuditEntry,
): boolean {
  return (
    Object.keys(hashes).some((field) => !(field in personal)) &&
    names?.some(({ pseudonym }) => pseudonym === person) === true
  );
}

/** Most names open, so that nothing more has to be read of most entries. */
function checkOpen(bytes: Buffer, { actor, targets }: LeafFacts, names: Names, checked: CheckedEntry): void {
  const opens = (id: string) => names.some(({ pseudonym }) => pseudonym === id);
  if (![actor, ...targets].some((id) => id.length === 22 && !opens(id))) return;
  const { customers, others, late } = pseudonymsIn(bytes);
  checked.unmapped = {
    customers: customers.filter((id) => !opens(id)),
    others: others.filter((id) => !opens(id)),
    late,
  };
  checked.customerOpens = customers.some(opens);
}

function checkNames(names: Names, { actor, targets }: LeafFacts, checked: CheckedEntry): void {
  for (const { pseudonym, value, salt } of names) {
    if (actor !== pseudonym && !targets.includes(pseudonym))
      checked.problems.push(`opens the pseudonym ${pseudonym}, which does not stand in it`);
    else if (typeof salt !== 'string' || typeof value !== 'string')
      checked.problems.push(
        `opens the pseudonym ${pseudonym} without the ${typeof salt === 'string' ? 'id' : 'salt'} that it was made of`,
      );
    else if (salt === '') checked.unprovable++;
    else if (pseudonymOf(commitment(salt, value)) !== pseudonym) {
      checked.problems.push(
        `names somebody else than was logged: its pseudonym ${pseudonym} was not made of the id that is shown for it`,
      );
    }
  }
}

function checkPersonal(personal: Personal, hashes: Record<string, string>, problems: string[]): void {
  for (const [field, { value, salt }] of Object.entries(personal)) {
    if (typeof salt !== 'string' || typeof value !== 'string')
      problems.push(`shows its ${field} without the ${typeof salt === 'string' ? 'value' : 'salt'} that was hashed`);
    else if (commitment(salt, value) !== hashes[field])
      problems.push(`shows another ${field} than was logged: what was logged is not its hash`);
  }
}

let salted = Buffer.alloc(1024);

/** SHA-256(salt ‖ UTF-8 of the value) in base64url. */
function commitment(salt: string, value: string): string {
  const most = salt.length + 3 * value.length;
  if (most > salted.length) salted = Buffer.alloc(2 * most);
  const begin = salted.write(salt, 'base64');
  return hash('sha256', salted.subarray(0, begin + salted.write(value, begin)), 'base64url');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The first 16 bytes of a commitment, in base64url as well: 21 characters and two bits. */
function pseudonymOf(commitment: string): string {
  return commitment.slice(0, 21) + alphabet[alphabet.indexOf(commitment.charAt(21)) & 0b110000]!;
}
