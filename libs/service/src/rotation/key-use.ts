import { Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { statement, type Database } from '@holdfast/data';
import { keyIdOf, type Keys } from '@holdfast/platform';
import type { Readiness } from '../lifecycle.js';

/** How often each replica announces the keys that it uses, and looks for what still needs the earlier ones. */
export const keyUseIntervalMs = 5000;
/** A replica may use its key for so long after its last announcement: it is stopped, or its database was away. */
const silenceSeconds = 10;

const announce = statement(
  'key_use_announce',
  `INSERT INTO key_use AS k (name, id) VALUES ($1, $2) ON CONFLICT (name, id) DO UPDATE
     SET used_at = clock_timestamp(), since = CASE WHEN $3 THEN clock_timestamp() ELSE k.since END`,
);
/** The key that a replica has used last. */
const lastUsed = statement('key_use_last', 'SELECT id FROM key_use WHERE name = $1 ORDER BY used_at DESC LIMIT 1');
const newest = statement('key_use_newest', 'SELECT id FROM key_use WHERE name = $1 ORDER BY since DESC LIMIT 1');
/** When the last replica has stopped to use another key, by PostgreSQL's clock. */
const othersUntil = statement(
  'key_use_others',
  `SELECT coalesce((SELECT max(used_at) + interval '${silenceSeconds} seconds' FROM key_use
                    WHERE name = $1 AND id <> $2),
       (SELECT since FROM key_use WHERE name = $1 AND id = $2)) AS until,
     clock_timestamp() AS now`,
);
const report = statement(
  'key_use_report',
  `UPDATE key_use SET pending = $3, pending_until = $4, checked_at = $5 WHERE name = $1 AND id = $2`,
);

const pendingGauge = new Gauge({
  name: 'holdfast_previous_key_pending',
  help:
    'What still needs the previous key during a rotation (rows, links, secrets), by the name of the key; 0: it ' +
    'can be removed once every replica reports this. Absent while there is no previous key',
  labelNames: ['key'],
});

/** What still needs a key other than the current one. */
export interface Pending {
  count: number;
  /** It needs nothing any more from this time on, because everything has expired. */
  until?: Date | undefined;
}

/** What a check may use. */
export interface KeyCheck {
  database: Database;
  name: string;
  keys: Keys;
  /** The id of the current key. */
  keyId: Buffer;
  /** No replica has used another key since then. */
  switchedAt: Date;
  /**
   * This replica has the key that was configured last. Only then may it change anything, or two replicas in the middle
   * of a rotation would undo each other's work.
   */
  leads: boolean;
  stopping: () => boolean;
}

/** A key of a service that can be rotated. */
export interface RotatedKey {
  /** Name of the setting: SECRET_PEPPER. Its other key is in <name>_PREVIOUS. */
  name: string;
  keys: Keys;
  /** What needs the key, in the plural: "open links". */
  what: string;
  /** Counts what needs another key than the current one, and changes what it can. */
  check: (scope: KeyCheck) => Promise<Pending>;
  /** Checks also while there is no previous key: then what needs another key is lost until that key is configured. */
  always?: boolean;
}

/**
 * The use of one key by the replicas of a service, recorded in the database, so that anybody can tell when a rotation
 * is finished: no replica uses another key, and nothing needs one (docs/adr/0044-key-rotation.md).
 */
export class KeyUse {
  /** Whether this replica has the key that was configured last. */
  leads = false;
  private readonly logger = new Logger('keys');
  private announced = false;
  private isUnknown = false;
  private pending: Pending | undefined;
  private othersInUse = true;

  constructor(
    private readonly database: Database,
    readiness: Readiness,
    private readonly key: RotatedKey,
  ) {
    readiness.addProblems(() => (this.isUnknown ? [this.unknown] : []));
    readiness.addNotes(() => this.notes());
  }

  private get keyId(): Buffer {
    return keyIdOf(this.key.keys[0], this.key.name);
  }

  /** @returns how much needs another key */
  async run(stopping: () => boolean): Promise<number> {
    const { database, keyId } = this;
    const { name, keys, check, always } = this.key;
    if (!this.announced) await this.compare();
    await database.rows(announce, [name, keyId, !this.announced]);
    this.announced = true;
    const isRotated = keys.length > 1;
    if (!isRotated && !always) return 0;
    const [others] = await database.rows<{ until: Date; now: Date }>(othersUntil, [name, keyId]);
    const { until, now } = others!;
    const [last] = await database.rows<{ id: Buffer }>(newest, [name]);
    this.leads = last?.id.equals(keyId) ?? false;
    const { leads } = this;
    this.pending = await check({ database, name, keys, keyId, switchedAt: until, leads, stopping });
    const { count, until: pendingUntil = null } = this.pending;
    this.othersInUse = now <= until;
    if (isRotated) pendingGauge.set({ key: name }, count);
    if (isRotated && !stopping()) await database.rows(report, [name, keyId, count, pendingUntil, now]);
    return count;
  }

  /** A key that is neither the one in use nor announced beside it is a mistake: it opens nothing that exists. */
  private async compare(): Promise<void> {
    const { name, keys } = this.key;
    const [last] = await this.database.rows<{ id: Buffer }>(lastUsed, [name]);
    this.isUnknown = last !== undefined && !keys.some((key) => keyIdOf(key, name).equals(last.id));
    if (this.isUnknown) this.logger.error(this.unknown);
  }

  private get unknown(): string {
    const { name, what } = this.key;
    return (
      `${name} is another key than the replicas of this service have used until now, and so is ${name}_PREVIOUS: ` +
      `${what} that exist are not valid here. Configure the earlier key, as ${name} or as ${name}_PREVIOUS`
    );
  }

  /** Lines for /readyz. The service stays ready: it works with both keys. */
  private notes(): string[] {
    const { name, what, keys } = this.key;
    if (this.isUnknown || !this.pending) return [];
    const { count, until } = this.pending;
    if (count > 0)
      return [
        `${count} ${what} need another ${name} than the current one` +
          (until ? `; the last expires at ${until.toISOString()}` : ''),
      ];
    if (keys.length === 1) return [];
    return this.othersInUse
      ? [`Another replica uses, or has just used, another ${name} than this one`]
      : [`Nothing needs ${name}_PREVIOUS any more. Once every replica reports this, ${name}_PREVIOUS can be removed`];
  }
}

/** A check of what expires by itself: it needs the earlier key until its longest lifetime has passed. */
export function expiring(lifetimeMs: number): RotatedKey['check'] {
  return ({ switchedAt }) => {
    const until = new Date(switchedAt.getTime() + lifetimeMs);
    return Promise.resolve(until.getTime() > Date.now() ? { count: 1, until } : { count: 0 });
  };
}
