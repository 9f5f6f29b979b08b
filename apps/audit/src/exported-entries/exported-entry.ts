import type { ExportedAuditEntry } from '@holdfast/contracts';
import { pseudonymsIn } from '../append/leaf.js';
import type { PersonalData } from '../privacy/personal-data.js';
import type { MappedIdentifier } from '../privacy/pseudonyms.js';
import type { EntryDecryption } from '../query/entry-decryption.js';
import { monthName } from '../retention/months.js';
import { isEntryRow, type EntryRow, type LeafRow, type PageRow } from './log-pages.js';

/** A message of the bus may have a million bytes, and one entry has less than two hundred thousand. */
const maxPageBytes = 800_000;

/** The first rows in the form of a verifiable export: as many as one message may have. */
export async function exportedEntries(
  decryption: EntryDecryption,
  org: string,
  rows: readonly PageRow[],
): Promise<ExportedAuditEntry[]> {
  const { mappings, personal } = await decryption.decrypt(org, rows.filter(isEntryRow));
  const values = personal[Symbol.iterator]();
  const entries: ExportedAuditEntry[] = [];
  let bytes = 0;
  for (const row of rows) {
    const entry = isEntryRow(row) ? exportedEntry(row, mappings, values.next().value ?? {}) : exportedLeaf(row);
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (bytes > maxPageBytes && entries.length > 0 && entries.at(-1)!.seq < row.seq) break;
    entries.push(entry);
  }
  return entries;
}

/** A dropped entry: only its leaf is left. */
function exportedLeaf({ seq, leafHash, class: name, month, lastAt }: LeafRow): ExportedAuditEntry {
  return {
    seq,
    leafHash: leafHash.toString('base64'),
    class: name,
    month: monthName(month),
    ...(lastAt && { lastAt: lastAt.toISOString() }),
  };
}

function exportedEntry(
  row: EntryRow,
  mappings: ReadonlyMap<string, MappedIdentifier>,
  values: PersonalData,
): ExportedAuditEntry {
  const { id, leaf, occurredAt, action, actor, outcome, targets } = row;
  const names = pseudonymsIn(leaf).flatMap((pseudonym) => {
    const mapped = mappings.get(pseudonym);
    // An empty salt means that the mapping has none: it can be read, but not verified.
    return mapped ? [{ pseudonym, value: mapped.value, salt: mapped.salt?.toString('base64') ?? '' }] : [];
  });
  const personal = Object.fromEntries(
    Object.entries(values).map(([field, { value, salt }]) => [field, { value, salt: salt.toString('base64') }]),
  );
  // `seq`, `leaf` and `leafHash` come first: readers of exported files find them without parsing the rest.
  const { seq, leafHash, ...rest } = exportedLeaf(row);
  return {
    seq,
    leaf: leaf.toString('base64'),
    leafHash,
    ...rest,
    found: { id, occurredAt: occurredAt.toISOString(), action, actor, outcome, targets },
    ...(names.length > 0 && { names }),
    ...(Object.keys(personal).length > 0 && { personal }),
  };
}
