import { Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { withSignatureLines } from '@holdfast/tlog';

/** A log whose newest checkpoint a witness has not cosigned yet. */
export interface DueLog {
  org: string;
  size: number;
  note: string;
  /** Size of the log that the witness has seen, as far as this service knows. */
  seenSize: number;
}

const behind = `FROM checkpoint c LEFT JOIN cosignature s ON s.org = c.org AND s.witness = $1
      WHERE c.size > coalesce(s.size, 0) AND ${isNotFenced('c.org')}`;
/** Those that were never tried come first, and then the longest waiting ones, so that every log has its turn. */
const selectBehind = statement('cosignature_behind', `SELECT c.org ${behind} ORDER BY s.tried_at NULLS FIRST, c.org`);
/**
 * Claims logs for one replica: their time of the last attempt becomes now. Those that another one has tried a moment
 * before have no seenSize.
 */
export const claimDue = statement(
  'cosignature_claim',
  `WITH behind AS (SELECT c.org, c.size, c.note ${behind} AND c.org = ANY ($4)),
   claimed AS (
     INSERT INTO cosignature AS s (org, witness, tried_at) SELECT org, $1, $2 FROM behind ORDER BY org
     ON CONFLICT (org, witness) DO UPDATE SET tried_at = excluded.tried_at
       WHERE s.tried_at <= $2::timestamptz - $3 * interval '1 ms'
     RETURNING s.org, s.seen_size)
   SELECT org, behind.size, behind.note, seen_size AS "seenSize" FROM behind LEFT JOIN claimed USING (org)`,
);
const store = statement(
  'cosignature_store',
  `UPDATE cosignature SET size = $3, seen_size = $3, note = $4, line = $5
    WHERE org = $1 AND witness = $2 AND size <= $3`,
);
const storeSeen = statement(
  'cosignature_seen',
  'UPDATE cosignature SET seen_size = $3 WHERE org = $1 AND witness = $2',
);
const selectCosigned = statement(
  'cosignature_newest',
  `SELECT note, line FROM cosignature WHERE org = $1 AND note IS NOT NULL ORDER BY size DESC, witness`,
);

/** The last cosignature of each witness on each log. */
@Injectable()
export class Cosignatures {
  constructor(private readonly database: Database) {}

  /** All logs whose newest checkpoint the witness has not cosigned. */
  async behind(witness: string): Promise<string[]> {
    return (await this.database.rows<{ org: string }>(selectBehind, [witness])).map(({ org }) => org);
  }

  /** @returns which of the logs are behind, and those of them that this replica may submit now */
  async claimDue(
    witness: string,
    orgs: readonly string[],
    now: Date,
    pauseMs: number,
  ): Promise<{ behind: Set<string>; claimed: DueLog[] }> {
    const rows = await this.database.rows<DueLog | { org: string; seenSize: null }>(claimDue, [
      ...[witness, now, pauseMs, orgs],
    ]);
    return {
      behind: new Set(rows.map(({ org }) => org)),
      claimed: rows.filter((row): row is DueLog => row.seenSize !== null),
    };
  }

  async store({ org, size, note }: DueLog, witness: string, line: string): Promise<void> {
    await this.database.rows(store, [org, witness, size, note, line]);
  }

  async storeSeen(org: string, witness: string, seenSize: number): Promise<void> {
    await this.database.rows(storeSeen, [org, witness, seenSize]);
  }

  /**
   * The checkpoint that most witnesses have cosigned, the newest of several, with their lines; undefined without any.
   * Witnesses cosign at different times, so the newest checkpoint of all may have the fewest.
   */
  async newest(org: string): Promise<string | undefined> {
    const rows = await this.database.rows<{ note: string; line: string }>(selectCosigned, [org]);
    const [best] = [...Map.groupBy(rows, ({ note }) => note)].toSorted(([, a], [, b]) => b.length - a.length);
    return (
      best &&
      withSignatureLines(
        best[0],
        best[1].map(({ line }) => line),
      )
    );
  }
}
