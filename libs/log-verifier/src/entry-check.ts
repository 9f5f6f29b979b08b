import { actionNames, retentionOf, type ExportedAuditEntry } from '@holdfast/contracts';
import { FormatError, leafHash } from '@holdfast/tlog';
import { bytesOfBase64, concat, equalBytes, sha256Base64url, utf8Of } from '@holdfast/tlog/platform';
import { assertEntryForm, assertKnown, isTime } from './entry-form.js';
import { isObject } from './exported-log.js';
import { leafFacts, pseudonymsIn, type LeafFacts, type UnmappedPseudonyms } from './leaf-facts.js';

/** The result for one entry. */
interface CheckedEntry {
  /** Leaf hash of its bytes; absent when it was dropped. */
  hash?: Uint8Array;
  /** Absent when it was dropped or changed. */
  record?: LeafFacts;
  /** Number of pseudonym mappings without a salt, which cannot be checked. */
  unsalted: number;
  /** Personal values that were logged are missing, although the data subject's pseudonym has a mapping. */
  withheld: boolean;
  /** Pseudonyms without a mapping. */
  unmapped?: UnmappedPseudonyms;
  /** It names customers or people, and all of them have a mapping. */
  customerIsMapped: boolean;
  /** Problems as sentences without a subject: `was changed: …`. */
  problems: string[];
}

type Names = NonNullable<ExportedAuditEntry['names']>;
type Personal = NonNullable<ExportedAuditEntry['personal']>;

/**
 * Compares all fields of an entry with its bytes, which are all that the tree proves.
 *
 * @throws FormatError when it cannot be read
 */
export function checkEntry(entry: ExportedAuditEntry, treeHash: Uint8Array): CheckedEntry {
  const checked: CheckedEntry = { unsalted: 0, withheld: false, customerIsMapped: false, problems: [] };
  assertEntryForm(entry);
  const { leaf, found, names, personal } = entry;
  if (leaf === undefined) {
    if (found || names || personal) checked.problems.push('has no bytes, so nothing proves its other fields');
    return checked;
  }
  const bytes = bytesOfBase64(leaf);
  if (!bytes) throw new FormatError('its bytes are not in base64');
  checked.hash = leafHash(bytes);
  if (!equalBytes(checked.hash, treeHash)) {
    // Comparing the columns with the changed bytes would only repeat the finding.
    checked.problems.push('was changed: its bytes do not match its hash in the tree');
    return checked;
  }
  const record = leafFacts(bytes);
  if (!isTime(record.occurredAt)) throw new FormatError('its bytes have no valid time');
  checked.record = record;
  if (found) checkFound(found, record, checked.problems);
  else checked.problems.push('has no columns to search by');
  if (names) checkNames(names, record, checked);
  if (personal) checkPersonal(personal, record.personal, checked.problems);
  checkClass(entry.class, record.action, checked.problems);
  checkMappings(bytes, record, names ?? [], checked);
  checked.withheld = record.person !== undefined && isWithheld(record.person, record.personal, entry);
  return checked;
}

function checkFound(found: NonNullable<ExportedAuditEntry['found']>, record: LeafFacts, problems: string[]): void {
  const column = (name: string, exported: string, logged: string) => {
    if (exported !== logged)
      problems.push(
        `has a wrong ${name} column: it says ${JSON.stringify(exported)}, but the logged entry says ` +
          `${JSON.stringify(logged)}`,
      );
  };
  column('id', found.id, record.id);
  column('time', found.occurredAt, record.occurredAt);
  column('action', found.action, record.action);
  column('actor', found.actor, record.actor);
  column('outcome', found.outcome, record.outcome);
  // The column has each id once; the leaf may name a target twice.
  if (
    found.targets.some((id, i) => found.targets.indexOf(id) !== i || !record.targets.includes(id)) ||
    record.targets.some((id) => !found.targets.includes(id))
  ) {
    problems.push(
      `has a wrong targets column: it says ${JSON.stringify(found.targets)}, but the logged entry says ` +
        JSON.stringify(record.targets),
    );
  }
}

/** By action. Actions that are newer than this program are absent. */
const classes = new Map<string, string>(actionNames.map((action) => [action, retentionOf(action)]));

function checkClass(exported: string | undefined, action: string, problems: string[]): void {
  const logged = classes.get(action);
  if (exported !== undefined && logged !== undefined && exported !== logged) {
    problems.push(
      `has a wrong retention class: the column says ${JSON.stringify(exported)}, but ${action} belongs to ` +
        `"${logged}"; lists do not find the entry, and it would be dropped with that class`,
    );
  }
}

/** An erasure removes mappings and values together: missing values alone are the result of tampering. */
function isWithheld(
  person: string,
  hashes: LeafFacts['personal'],
  { names, personal = {} }: ExportedAuditEntry,
): boolean {
  return (
    Object.keys(hashes).some((field) => !(field in personal)) &&
    names?.some(({ pseudonym }) => pseudonym === person) === true
  );
}

/** Parses only entries with an unmapped pseudonym as a whole; most have none. */
function checkMappings(bytes: Uint8Array, { actor, targets }: LeafFacts, names: Names, checked: CheckedEntry): void {
  const isMapped = (id: string) => names.some(({ pseudonym }) => pseudonym === id);
  if (![actor, ...targets].some((id) => id.length === 22 && !isMapped(id))) return;
  const { customers, others, late } = pseudonymsIn(bytes);
  checked.unmapped = {
    customers: customers.filter((id) => !isMapped(id)),
    others: others.filter((id) => !isMapped(id)),
    late,
  };
  // An entry may name two people, of whom one is removed: whose passkey it names cannot be seen.
  checked.customerIsMapped = customers.length > 0 && customers.every(isMapped);
}

function checkNames(names: Names, { actor, targets }: LeafFacts, checked: CheckedEntry): void {
  for (const name of names) {
    if (!isObject(name)) throw new FormatError('one of its "names" is not an object');
    assertKnown(name, ['pseudonym', 'value', 'salt'], 'one of its "names"');
    const { pseudonym, value, salt } = name;
    if (typeof pseudonym !== 'string') throw new FormatError('one of its "names" has no pseudonym');
    if (actor !== pseudonym && !targets.includes(pseudonym))
      checked.problems.push(`has a mapping for the pseudonym ${pseudonym}, which is not in the entry`);
    else if (typeof salt !== 'string' || typeof value !== 'string')
      checked.problems.push(
        `has a mapping for the pseudonym ${pseudonym} without its ${typeof salt === 'string' ? 'id' : 'salt'}`,
      );
    else if (!uuid.test(value))
      checked.problems.push(`has a mapping for the pseudonym ${pseudonym} to ${JSON.stringify(value)}, which is no id`);
    else if (salt === '') checked.unsalted++;
    else if (saltOf(salt) === undefined)
      checked.problems.push(`has a mapping for the pseudonym ${pseudonym} whose salt does not have 16 bytes`);
    else if (pseudonymOf(commitment(salt, value)) !== pseudonym) {
      checked.problems.push(
        `names somebody other than was logged: its pseudonym ${pseudonym} does not match the id in its mapping`,
      );
    }
  }
}

function checkPersonal(personal: Personal, hashes: Record<string, string>, problems: string[]): void {
  for (const [field, shown] of Object.entries(personal)) {
    if (!isObject(shown)) throw new FormatError(`its ${field} is not an object`);
    assertKnown(shown, ['value', 'salt'], `its ${field}`);
    const { value, salt } = shown;
    if (typeof salt !== 'string' || typeof value !== 'string')
      problems.push(`shows its ${field} without the ${typeof salt === 'string' ? 'value' : 'salt'} that was hashed`);
    else if (saltOf(salt) === undefined || commitment(salt, value) !== hashes[field])
      problems.push(`shows another ${field} than was logged: it does not match the logged hash`);
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const saltBytes = 16;

/**
 * Undefined when it is no salt. The hash covers salt and value as one string of bytes: were another length accepted,
 * the first bytes of the value could become the end of the salt, and a shorter value would have the same hash.
 */
function saltOf(salt: string): Uint8Array | undefined {
  const bytes = bytesOfBase64(salt);
  return bytes?.length === saltBytes ? bytes : undefined;
}

/** SHA-256(salt ‖ UTF-8 of the value) in base64url; empty when the salt is none, or the value cannot be UTF-8. */
function commitment(salt: string, value: string): string {
  const bytes = saltOf(salt);
  return bytes && value.isWellFormed() ? sha256Base64url(concat([bytes, utf8Of(value)])) : '';
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The first 16 bytes of a commitment in base64url: 21 characters and two bits of the next. */
function pseudonymOf(commitment: string): string {
  return commitment.slice(0, 21) + alphabet[alphabet.indexOf(commitment.charAt(21)) & 0b110000]!;
}
