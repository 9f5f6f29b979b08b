import { Inject, Injectable } from '@nestjs/common';
import {
  maxStreamSubjects,
  minVerificationIntervalSeconds,
  streamEvents,
  type RequestContext,
} from '@holdfast/contracts';
import { AppError, CLOCK, customerKey, type Clock } from '@holdfast/platform';
import { limitReached, StreamChanges, type Keyed, type Reach, type StreamAct } from './stream-changes.js';
import * as statements from './stream-statements.js';

/** Which subjects a stream is about, and its verification (SSF 1.0 §8.1.3, §8.1.4). */
@Injectable()
export class StreamSubjects {
  constructor(
    private readonly changes: StreamChanges,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_stream, limit_reached */
  change(
    reach: Reach & { id: string },
    subject: string,
    added: boolean,
    context: RequestContext,
    keyed?: Keyed<{ changed: boolean }>,
  ): Promise<{ changed: boolean }> {
    const change: StreamAct = { action: 'ssf_stream.subject', id: reach.id, changes: { added: { to: added } } };
    return this.changes.commit(context, change, keyed, async (sql) => {
      const { id, default_subjects: byDefault } = await this.changes.locked(sql, context.org, reach);
      const key = customerKey(context.org, subject);
      if (!added) await sql.rows(statements.discardSubject, [id, key]);
      // A row only for what differs from the default.
      if (added === (byDefault === 'ALL'))
        return { changed: (await sql.rows(statements.clearSubject, [id, key])).length > 0 };
      const [{ count } = { count: 0 }] = await sql.rows<{ count: number }>(statements.countSubjects, [id]);
      if (count >= maxStreamSubjects) throw limitReached(`The stream names ${maxStreamSubjects} subjects`);
      return { changed: (await sql.rows(statements.setSubject, [id, key, added, context.org])).length > 0 };
    });
  }

  /** The verification event follows what waits. @throws unknown_stream, rate_limited, invalid_state */
  verify(
    reach: Reach & { id: string },
    state: string | undefined,
    context: RequestContext,
    keyed?: Keyed<Record<string, never>>,
  ): Promise<Record<string, never>> {
    return this.changes.commit(context, { action: 'ssf_stream.verify', id: reach.id }, keyed, async (sql) => {
      const row = await this.changes.locked(sql, context.org, reach);
      if (row.disabled) throw new AppError('invalid_state', 'The stream is disabled. Enable it first.');
      const now = this.clock.now();
      const before = new Date(now.getTime() - minVerificationIntervalSeconds * 1000);
      if ((await sql.rows(statements.verified, [row.id, now, before])).length === 0)
        throw new AppError(
          'rate_limited',
          `A stream is verified once in ${minVerificationIntervalSeconds} seconds. Wait, and ask again.`,
          { retryAfter: minVerificationIntervalSeconds },
        );
      await this.changes.addOwn(sql, row, streamEvents.verification, state === undefined ? {} : { state });
      return {};
    });
  }
}
