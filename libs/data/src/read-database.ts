import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { Counter } from 'prom-client';
import { within } from '@holdfast/platform';
import { statement, type Sql, type Statement } from './database.js';
import type { LazyDatabase } from './lazy-database.js';

/** A place in the write-ahead log of one server. */
interface Position {
  lsn: string;
  timeline: number;
  system: string;
}

/**
 * Everything that was acknowledged before lies before this position. Without synchronous commits an acknowledged change
 * may not be in the flushed part yet.
 */
const primaryPosition = statement(
  'primary_position',
  `SELECT lsn::text AS lsn, timeline_id AS timeline, system_identifier::text AS system
   FROM pg_control_checkpoint(), pg_control_system(), (SELECT CASE
     WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
     ELSE pg_current_wal_flush_lsn() END AS lsn) p`,
);

/**
 * Whether this server is a standby that has replayed the write-ahead log up to a position of this primary. After a
 * failover a standby that did not follow has a log that differs, whose positions mean something else.
 */
const hasReplayed = statement(
  'replica_has_replayed',
  `SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn
     AND min_recovery_end_timeline = $2 AND system_identifier = $3::bigint AS replayed
   FROM pg_control_recovery(), pg_control_system()`,
);

interface Checked {
  replayed: boolean;
}

/** How long a read waits for the replica to replay what was committed before: usually it takes a millisecond. */
const maxLagMs = 50;
const lagStepMs = 2;
/** After this time a replica that does not respond counts as away. */
const replicaTimeoutMs = 250;
const probeIntervalMs = 1000;

const reads = new Counter({
  name: 'holdfast_replica_reads_total',
  help:
    'Statements that may be served by a read replica, by where they were: replica, or primary because the replica ' +
    'lags, has failed, or is away',
  labelNames: ['served'],
});

/**
 * Statements that only read, on a streaming replica of the database if there is one. A read is never staler than on the
 * primary (docs/adr/0049-read-replicas.md): it asks the primary for its position in the write-ahead log, and the
 * replica responds only if it has replayed up to there. Reads that begin together share one query. While the replica
 * is away or lags, the primary serves them.
 */
export class ReadDatabase implements Sql {
  private isAway = true;
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<Position> | undefined;
  private next: Promise<Position> | undefined;

  constructor(
    private readonly primary: Sql,
    private readonly replica?: LazyDatabase,
  ) {
    if (replica) this.probeIn(0);
  }

  async rows<Row extends QueryResultRow>(query: Statement, values: unknown[] = []): Promise<Row[]> {
    if (!this.replica) return this.primary.rows<Row>(query, values);
    let served = 'away';
    if (!this.isAway) {
      const position = await this.position();
      const rows = await within(replicaTimeoutMs, this.onReplica<Row>(position, query, values)).catch(() => undefined);
      if (rows && rows !== 'lags') {
        reads.inc({ served: 'replica' });
        return rows;
      }
      served = rows ?? 'failed';
      this.isAway = true;
    }
    reads.inc({ served });
    return this.primary.rows<Row>(query, values);
  }

  /** Notes for the operator. */
  remarks(): string[] {
    return this.replica && this.isAway
      ? ['the read replica lags or does not respond; the primary serves the reads']
      : [];
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.replica?.close();
  }

  /**
   * The check and the read are sent together on one connection, since another connection may lead to another replica.
   * The read takes its snapshot after the check.
   */
  private async onReplica<Row extends QueryResultRow>(
    position: Position,
    query: Statement,
    values: unknown[],
  ): Promise<Row[] | 'lags'> {
    const startedAtMs = performance.now();
    for (;;) {
      const [checked, rows] = await this.replica!.transaction((sql) =>
        Promise.all([sql.rows<Checked>(hasReplayed, valuesOf(position)), sql.last<Row>(query, values)]),
      );
      if (checked[0]!.replayed) return rows;
      do {
        if (performance.now() - startedAtMs > maxLagMs) return 'lags';
        await sleep(lagStepMs);
      } while (!(await this.replica!.rows<Checked>(hasReplayed, valuesOf(position)))[0]!.replayed);
    }
  }

  /** A position that was asked for after this call: an earlier one may lack what the caller has seen since. */
  private position(): Promise<Position> {
    return (this.next ??= (async () => {
      await this.asking?.catch(() => undefined);
      this.next = undefined;
      this.asking = this.primary.rows<Position & QueryResultRow>(primaryPosition).then(([row]) => row!);
      return this.asking;
    })());
  }

  private probeIn(delayMs: number): void {
    this.timer = setTimeout(() => {
      void this.probe().finally(() => {
        if (this.timer) this.probeIn(probeIntervalMs);
      });
    }, delayMs).unref();
  }

  /** Tries a replica that is away, so that no read has to. */
  private async probe(): Promise<void> {
    if (!this.isAway) return;
    const position = this.position();
    const check = async () => this.onReplica(await position, hasReplayed, valuesOf(await position));
    const rows = await within(replicaTimeoutMs, check()).catch(() => 'failed' as const);
    this.isAway = rows === 'lags' || rows === 'failed';
  }
}

function valuesOf({ lsn, timeline, system }: Position): unknown[] {
  return [lsn, timeline, system];
}
