import { exportAuditEntries, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { Database, statement } from '@holdfast/data';
import { Controller } from '@nestjs/common';
import { monthName } from '../entries/head.js';
import { idsIn } from '../entries/leaf.js';
import type { Named } from '../entries/names.js';
import { Opened, type StoredEntry } from '../entries/opened.js';
import type { Personal } from '../entries/person.js';
import { OperatorRecords } from '../operator/operator-records.js';
import { Checkpoints } from '../proofs/checkpoints.js';

/** Where somebody wrote that it is never or always over; what has no date in JSON would end the export, where a verifier should see it. */
const dated = (time: string): string => `least(greatest(${time}, timestamptz 'epoch'), timestamptz '9999-12-31')`;

/** OFFSET 0 keeps the planner at one look per place, where it might join whole partitions. */
const places = statement(
  'export_places',
  `SELECT p.seq, p.id, p.leaf_hash AS "leafHash", p.class, p.month, e.*,
     CASE WHEN p.seq % 256 = 0 THEN (SELECT ${dated('s.last_at')} FROM subtree s WHERE s.org = p.org AND s.level = 1 AND s.index = p.seq / 256 - 1) END AS "lastAt"
   FROM place p LEFT JOIN LATERAL (
     SELECT ${dated('e.occurred_at')} AS "occurredAt", e.action, e.actor_id AS actor, e.outcome, e.person, e.personal, e.leaf,
       ARRAY(SELECT target FROM entry_target t WHERE t.org = p.org AND t.seq = p.seq AND t.class = p.class AND t.month = p.month) AS targets
     FROM entry e WHERE e.org = p.org AND e.seq = p.seq AND e.class = p.class AND e.month = p.month OFFSET 0) e ON true
   WHERE p.org = $1 AND p.seq > $2 AND p.seq <= $3 ORDER BY p.seq LIMIT $4`,
);

/**
 * Rows that no place was given to, or another one: somebody put them in, and a list would show them. `$4` looks behind `$3`
 * as well, up to where the log itself ends.
 */
const strays = statement(
  'export_strays',
  `SELECT e.seq, '' AS id, sha256('\\x00'::bytea || e.leaf) AS "leafHash", e.class, e.month, ${dated('e.occurred_at')} AS "occurredAt", e.action, e.actor_id AS actor, e.outcome,
     e.person, e.personal, e.leaf, ARRAY[]::text[] AS targets
   FROM entry e WHERE e.org = $1 AND e.seq > $2 AND ($4 OR e.seq <= $3) AND NOT EXISTS (
     SELECT FROM place p JOIN head h ON h.org = p.org
     WHERE p.org = e.org AND p.seq = e.seq AND p.class = e.class AND p.month = e.month AND p.seq <= h.seq)
   ORDER BY e.seq LIMIT 100`,
);

const late = statement('export_late', 'SELECT late_ms AS "lateMs" FROM head WHERE org = $1');

interface Place {
  seq: number;
  id: string;
  leafHash: Buffer;
  class: string;
  month: number;
  lastAt?: Date | null;
}

interface Row extends Place, StoredEntry {
  occurredAt: Date;
  action: string;
  actor: string;
  outcome: string;
  targets: string[];
}

/** Bytes of an answer, about: a message of the bus may have a million. */
const most = 500_000;

type Exported = ReplyOf<typeof exportAuditEntries>['entries'][number];

/** The log as it is stored, for whoever verifies it. */
@Controller()
export class ExportEntriesHandler {
  constructor(
    private readonly database: Database,
    private readonly opened: Opened,
    private readonly checkpoints: Checkpoints,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(exportAuditEntries)
  async handle({ after, limit }: RequestOf<typeof exportAuditEntries>, context: CallContext): Promise<ReplyOf<typeof exportAuditEntries>> {
    const { org } = context;
    const { note, size } = await this.checkpoints.toVerifyBy(org);
    const rows = await this.rowsOf(org, after, size, limit);
    const [head] = await this.database.rows<{ lateMs: number }>(late, [org]);
    const { names, personal } = await this.opened.open(org, rows.filter(isStored));
    const values = personal[Symbol.iterator]();
    const entries: Exported[] = [];
    let bytes = 0;
    for (const row of rows) {
      const entry = isStored(row) ? stored(row, names, values.next().value ?? {}) : placed(row);
      bytes += JSON.stringify(entry).length;
      if (bytes > most && entries.length > 0 && entries.at(-1)!.seq < row.seq) break;
      entries.push(entry);
    }
    await this.operator.recorded(context, 'audit.export');
    return { entries, checkpoint: note, hasMore: (entries.at(-1)?.seq ?? size) < size, ...(head && { lateMs: head.lateMs }) };
  }

  /** What stands in the log behind `after`, and what has no business there: a verifier must see both. */
  private async rowsOf(org: string, after: number, size: number, limit: number): Promise<(Place & Partial<Row>)[]> {
    const rows = await this.database.rows<Place & Partial<Row>>(places, [org, after, size, limit]);
    const last = rows.length < limit;
    const put = await this.database.rows<Row>(strays, [org, after, last ? size : rows.at(-1)!.seq, last]);
    return put.length === 0 ? rows : [...rows, ...put].sort((a, b) => a.seq - b.seq);
  }
}

function isStored(row: Place & Partial<Row>): row is Row {
  return row.leaf !== undefined && row.leaf !== null;
}

/** What is left of an entry that was dropped. */
function placed({ seq, leafHash, class: name, month, lastAt }: Place): Exported {
  return { seq, leafHash: leafHash.toString('base64'), class: name, month: monthName(month), ...(lastAt && { lastAt: lastAt.toISOString() }) };
}

function stored(row: Row, known: ReadonlyMap<string, Named>, values: Personal): Exported {
  const { id, leaf, occurredAt, action, actor, outcome, targets } = row;
  const names = idsIn(leaf).flatMap((pseudonym) => {
    const named = known.get(pseudonym);
    // What is older than salts can be read and not be checked: an empty salt says so.
    return named ? [{ pseudonym, value: named.value, salt: named.salt?.toString('base64') ?? '' }] : [];
  });
  const personal = Object.fromEntries(Object.entries(values).map(([field, { value, salt }]) => [field, { value, salt: salt.toString('base64') }]));
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
