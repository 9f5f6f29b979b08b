import { Controller } from '@nestjs/common';
import { exportAuditEntries, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { pseudonymsIn } from '../append/leaf.js';
import { OperatorRecords } from '../intake/operator-records.js';
import type { PersonalData } from '../privacy/personal-data.js';
import type { MappedIdentifier } from '../privacy/pseudonyms.js';
import { EntryDecryption } from '../query/entry-decryption.js';
import { monthName } from '../retention/months.js';
import { BrokenLogs } from '../transparency/broken-logs.js';
import { Checkpoints } from '../transparency/checkpoints.js';
import { isEntryRow, LogPages, type EntryRow, type LeafRow } from './log-pages.js';

/** A message of the bus may have a million bytes, and one entry has less than two hundred thousand. */
const maxPageBytes = 800_000;

const selectLateMs = statement('export_late_ms', 'SELECT late_ms AS "lateMs" FROM head WHERE org = $1');
const selectLastSeq = statement('export_last_seq', 'SELECT seq FROM leaf WHERE org = $1 ORDER BY seq DESC LIMIT 1');

type ExportedEntry = ReplyOf<typeof exportAuditEntries>['entries'][number];

/** Exports the log as it is stored, for verification. */
@Controller()
export class ExportEntriesHandler {
  constructor(
    private readonly database: Database,
    private readonly pages: LogPages,
    private readonly decryption: EntryDecryption,
    private readonly checkpoints: Checkpoints,
    private readonly brokenLogs: BrokenLogs,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(exportAuditEntries)
  async handle(
    { after, limit }: RequestOf<typeof exportAuditEntries>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof exportAuditEntries>> {
    const { org } = context;
    const { note, size } = await this.checkpoints.forExport(org, after);
    const broken = this.brokenLogs.find(org);
    const rows = await this.pages.read(org, after, size, limit);
    const [head] = await this.database.rows<{ lateMs: number }>(selectLateMs, [org]);
    const [last] = broken ? await this.database.rows<{ seq: number }>(selectLastSeq, [org]) : [];
    const { mappings, personal } = await this.decryption.decrypt(org, rows.filter(isEntryRow));
    const values = personal[Symbol.iterator]();
    const entries: ExportedEntry[] = [];
    let bytes = 0;
    for (const row of rows) {
      const entry = isEntryRow(row) ? exportedEntry(row, mappings, values.next().value ?? {}) : exportedLeaf(row);
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > maxPageBytes && entries.length > 0 && entries.at(-1)!.seq < row.seq) break;
      entries.push(entry);
    }
    await this.operator.record(context, 'audit.export');
    return {
      entries,
      checkpoint: note,
      hasMore: (entries.at(-1)?.seq ?? size) < size,
      ...(head && { lateMs: head.lateMs }),
      ...(broken && {
        broken: {
          detail: broken.reason,
          since: broken.since.toISOString(),
          unsigned: Math.max(0, (last?.seq ?? 0) - size),
        },
      }),
    };
  }
}

/** A dropped entry: only its leaf is left. */
function exportedLeaf({ seq, leafHash, class: name, month, lastAt }: LeafRow): ExportedEntry {
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
): ExportedEntry {
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
