import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { SubjectState } from '@holdfast/contracts';
import { isDatabaseUnavailable, ReadDatabase, statement } from '@holdfast/data';
import { behind } from './freshness.js';

/** A customer of an app; without `app`, of any. */
export interface SubjectKey {
  org: string;
  /** customerKey() of organization and subject. */
  key: Buffer;
  app: string | undefined;
}

export interface FoundSubject {
  state: SubjectState | null;
  behind: boolean;
}

const maxBatchSize = 100;

/**
 * In the order of the keys. LIMIT keeps it to one index lookup for each key, and the SELECTs around the parameters hide
 * the lengths of the arrays from the planner, which would plan each batch anew.
 */
const byKeys = statement(
  'subject_get',
  `SELECT s.state, ${behind('q.org')}
   FROM unnest((SELECT $1::text[]), (SELECT $2::bytea[]), (SELECT $3::text[])) WITH ORDINALITY AS q(org, key, app, n)
     LEFT JOIN LATERAL (
       SELECT state FROM subject WHERE key = q.key AND org = q.org AND app = coalesce(q.app, app) LIMIT 1) s ON true
   ORDER BY q.n`,
);

/**
 * Finds customers by key. Requests of one turn of the event loop share a statement: most of what a statement costs, in
 * PostgreSQL and here, does not depend on how many customers it finds.
 */
@Injectable()
export class SubjectReads {
  private readonly loader = new DataLoader<SubjectKey, FoundSubject>((keys) => this.findAll(keys), {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (send) => void setImmediate(send),
  });

  constructor(private readonly database: ReadDatabase) {}

  /** Sees everything that was committed before the call. `state` is null when the app has no such customer. */
  find(key: SubjectKey): Promise<FoundSubject> {
    return this.loader.load(key);
  }

  /**
   * A row that cannot be read, such as one of a damaged page, must not fail the reads of other customers: the batch is
   * halved until it is found. While the database is unavailable each half would fail as well.
   */
  private async findAll(keys: readonly SubjectKey[]): Promise<(FoundSubject | Error)[]> {
    try {
      return await this.read(keys);
    } catch (error) {
      if (keys.length === 1 || isDatabaseUnavailable(error)) return keys.map(() => error as Error);
      const middle = keys.length >> 1;
      const halves = [keys.slice(0, middle), keys.slice(middle)];
      return (await Promise.all(halves.map((half) => this.findAll(half)))).flat();
    }
  }

  private read(keys: readonly SubjectKey[]): Promise<FoundSubject[]> {
    return this.database.rows<FoundSubject>(byKeys, [
      keys.map(({ org }) => org),
      keys.map(({ key }) => key),
      keys.map(({ app }) => app),
    ]);
  }
}
