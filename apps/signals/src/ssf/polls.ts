import { Inject, Injectable } from '@nestjs/common';
import { maxPolledEvents, streamEvents, type pollStream, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { columns, Database, namedStatement, statement } from '@holdfast/data';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import * as statements from './stream-statements.js';
import { unknownStream, type StreamRow } from './stream.js';
import { TokenSigner, type Signable } from './token-signer.js';

const acknowledge = statement(
  'ssf_event_acknowledge',
  `UPDATE ssf_event SET status = 'delivered', error = NULL
    WHERE stream = $1 AND jti = ANY ($2::text[]) AND status <> 'delivered'`,
);
const reject = namedStatement(
  'ssf_event_reject',
  {
    stream: 'uuid',
    errors: columns<[jti: string, error: object]>({
      jti: ['text', ([jti]) => jti],
      error: ['json', ([, error]) => JSON.stringify(error)],
    }),
  },
  ({ stream, errors }) =>
    `UPDATE ssf_event e SET status = 'rejected', error = r.error FROM ${errors.unnest('r')}
      WHERE e.stream = ${stream} AND e.jti = r.jti AND e.status = 'pending'`,
);
/** The oldest that are not acknowledged; of a paused stream, only what says that it is paused. */
const next = statement(
  'ssf_event_next',
  `SELECT e.jti, e.claims FROM ssf_event e
    WHERE e.stream = $1 AND e.status = 'pending' AND ($2::boolean OR e.uri = '${streamEvents.updated}')
    ORDER BY e.seq, e.part LIMIT $3`,
);
const suspended = statement('ssf_suspended', 'SELECT suspended FROM audit_suspension WHERE org = $1 AND suspended');

/** Polls of receivers (RFC 8936). */
@Injectable()
export class Polls {
  constructor(
    private readonly database: Database,
    private readonly signer: TokenSigner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_stream, invalid_state, unavailable */
  async poll(
    org: string,
    receiver: string,
    { stream_id: id, poll }: RequestOf<typeof pollStream>,
  ): Promise<ReplyOf<typeof pollStream>> {
    const [row] = await this.database.rows<StreamRow>(statements.find, [org, receiver, id]);
    if (!row) throw unknownStream();
    if (row.method !== 'poll')
      throw new AppError('invalid_state', 'The tokens of this stream are pushed. Change its delivery to poll it.');
    await this.store(row, poll);
    const limit = Math.min(poll.maxEvents ?? maxPolledEvents, maxPolledEvents);
    if (limit === 0) return { sets: {}, moreAvailable: false };
    const found = await this.nextOf(row, limit + 1);
    const shown = found.slice(0, limit);
    const tokens = await Promise.all(shown.map((event) => this.signer.sign({ ...event, org, receiver })));
    return {
      sets: Object.fromEntries(shown.map(({ jti }, i) => [jti, tokens[i]!])),
      moreAvailable: found.length > limit,
    };
  }

  /** What the receiver says about tokens of earlier responses. Unknown ones have no effect (RFC 8936 §2.4). */
  private async store({ id }: StreamRow, { ack, setErrs }: RequestOf<typeof pollStream>['poll']): Promise<void> {
    await this.database.rows(statements.active, [id, this.clock.now()]);
    if (ack.length > 0) await this.database.rows(acknowledge, [id, ack]);
    const errors = Object.entries(setErrs).map(
      ([jti, { err, description }]) => [jti, { err, ...(description !== undefined && { description }) }] as const,
    );
    if (errors.length > 0)
      await this.database.rows(
        reject,
        reject.values({ stream: id, errors: errors.map(([jti, error]) => [jti, error]) }),
      );
  }

  private async nextOf(
    { id, org, paused, disabled }: StreamRow,
    limit: number,
  ): Promise<Pick<Signable, 'jti' | 'claims'>[]> {
    if ((await this.database.rows(suspended, [org])).length > 0) return [];
    return this.database.rows(next, [id, !paused && !disabled, limit]);
  }
}
