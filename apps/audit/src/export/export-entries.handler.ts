import { Controller } from '@nestjs/common';
import { exportAuditEntries, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { idsIn } from '../append/leaf.js';
import { monthName } from '../append/log-head.js';
import { OperatorRecords } from '../intake/operator-records.js';
import type { Personal } from '../privacy/personal-data.js';
import type { Named } from '../privacy/pseudonym-mappings.js';
import { Opened } from '../query/entry-decryption.js';
import { BrokenLogs } from '../transparency/broken-logs.js';
import { Checkpoints } from '../transparency/checkpoints.js';
import { isStored, LogPages, type Place, type Stored } from './log-pages.js';
import { lastPlace, lateness } from './page-statements.js';

/**
 * Bytes of the entries of an answer: a message of the bus may have a million, and one entry has less than two hundred
 * thousand.
 */
const maxPageBytes = 800_000;

type Exported = ReplyOf<typeof exportAuditEntries>['entries'][number];

/** The log as it is stored, for whoever verifies it. */
@Controller()
export class ExportEntriesHandler {
  constructor(
    private readonly database: Database,
    private readonly pages: LogPages,
    private readonly opened: Opened,
    private readonly checkpoints: Checkpoints,
    private readonly broken: BrokenLogs,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(exportAuditEntries)
  async handle(
    { after, limit }: RequestOf<typeof exportAuditEntries>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof exportAuditEntries>> {
    const { org } = context;
    const { note, size } = await this.checkpoints.toRead(org, after);
    const broken = this.broken.of(org);
    const rows = await this.pages.read(org, after, size, limit);
    const [head] = await this.database.rows<{ lateMs: number }>(lateness, [org]);
    const [last] = broken ? await this.database.rows<{ seq: number }>(lastPlace, [org]) : [];
    const { names, personal } = await this.opened.open(org, rows.filter(isStored));
    const values = personal[Symbol.iterator]();
    const entries: Exported[] = [];
    let bytes = 0;
    for (const row of rows) {
      const entry = isStored(row) ? stored(row, names, values.next().value ?? {}) : placed(row);
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > maxPageBytes && entries.length > 0 && entries.at(-1)!.seq < row.seq) break;
      entries.push(entry);
    }
    await this.operator.recorded(context, 'audit.export');
    return {
      entries,
      checkpoint: note,
      hasMore: (entries.at(-1)?.seq ?? size) < size,
      ...(head && { lateMs: head.lateMs }),
      ...(broken && {
        broken: {
          detail: broken.why,
          since: broken.since.toISOString(),
          unsigned: Math.max(0, (last?.seq ?? 0) - size),
        },
      }),
    };
  }
}

/** What is left of an entry that was dropped. */
function placed({ seq, leafHash, class: name, month, lastAt }: Place): Exported {
  return {
    seq,
    leafHash: leafHash.toString('base64'),
    class: name,
    month: monthName(month),
    ...(lastAt && { lastAt: lastAt.toISOString() }),
  };
}

function stored(row: Stored, known: ReadonlyMap<string, Named>, values: Personal): Exported {
  const { id, leaf, occurredAt, action, actor, outcome, targets } = row;
  const names = idsIn(leaf).flatMap((pseudonym) => {
    const named = known.get(pseudonym);
    // What is older than salts can be read and not be checked: an empty salt says so.
    return named ? [{ pseudonym, value: named.value, salt: named.salt?.toString('base64') ?? '' }] : [];
  });
  const personal = Object.fromEntries(
    Object.entries(values).map(([field, { value, salt }]) => [field, { value, salt: salt.toString('base64') }]),
  );
  // These first: a reader of files takes them without looking into them.
  const { seq, leafHash, ...place } = placed(row);
  return {
    seq,
    leaf: leaf.toString('base64'),
    leafHash,
    ...place,
    found: { id, occurredAt: occurredAt.toISOString(), action, actor, outcome, targets },
    ...(names.length > 0 && { names }),
    ...(Object.keys(personal).length > 0 && { personal }),
  };
}
