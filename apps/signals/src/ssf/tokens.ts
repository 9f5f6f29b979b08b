import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  type listStreamTokens,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type StreamToken,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { PushQueue } from './delivery/push-queue.js';
import { streamTarget } from './stream.js';
import { Streams } from './streams.js';

interface TokenRow {
  jti: string;
  uri: string;
  status: StreamToken['status'];
  created_at: Date;
  tries: number;
  error: StreamToken['error'] | null;
  seq: number;
  part: number;
}

const page = statement(
  'ssf_event_page',
  `SELECT jti, uri, status, created_at, tries, error, seq, part FROM ssf_event
    WHERE stream = $1 AND ($2::text IS NULL OR status = $2)
      AND ($3::bigint IS NULL OR (seq, part) < ($3, $4::smallint))
    ORDER BY seq DESC, part DESC LIMIT $5`,
);
/** As many as one request sends again. */
const maxResent = 10_000;
const resend = statement(
  'ssf_event_resend',
  `UPDATE ssf_event e SET status = 'pending', due_at = $3, lease = lease + 1, error = NULL
     FROM (SELECT stream, seq, part, created_at FROM ssf_event
            WHERE stream = $1 AND status = 'rejected' AND ($2::text IS NULL OR jti = $2)
            ORDER BY seq, part LIMIT ${maxResent} FOR UPDATE) r
    WHERE e.stream = r.stream AND e.seq = r.seq AND e.part = r.part AND e.created_at = r.created_at
   RETURNING e.jti`,
);

/** What became of the tokens of streams, for administrators. */
@Injectable()
export class Tokens {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly streams: Streams,
    private readonly queue: PushQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_stream */
  async list(
    { id, status, limit, after }: RequestOf<typeof listStreamTokens>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listStreamTokens>> {
    await this.streams.found(org, { id });
    const values = [id, status ?? null, after?.seq ?? null, after?.part ?? null, limit + 1];
    const rows = await this.database.rows<TokenRow>(page, values);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(toToken),
      ...(rows.length > limit && last && { next: { seq: last.seq, part: last.part } }),
    };
  }

  /** @throws unknown_stream */
  async resend(
    id: string,
    jti: string | undefined,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ tokens: number }> {
    const { org } = context;
    await this.streams.found(org, { id });
    const { reply, record } = await this.database.transaction(async (sql) => {
      const now = this.clock.now();
      const tokens = (await sql.rows(resend, [id, jti ?? null, now])).length;
      const written = auditRecord(context, now, {
        action: 'ssf_stream.resend',
        targets: [streamTarget(id)],
        outcome: { result: 'success' },
        changes: { tokens: { to: tokens } },
      });
      await this.records.add(sql, org, written);
      await keyed?.store(sql, { tokens }, { event: written.id, version: 0 });
      return { reply: { tokens }, record: written };
    });
    await this.records.append(org, record);
    this.queue.wake([org]);
    return reply;
  }
}

function toToken({ jti, uri, status, created_at: createdAt, tries, error }: TokenRow): StreamToken {
  return {
    jti,
    event: uri,
    status,
    createdAt: createdAt.toISOString(),
    attempts: tries,
    ...(status === 'rejected' && error && { error }),
  };
}
