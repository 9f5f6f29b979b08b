import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { columns, namedStatement, statement, type Sql } from '@holdfast/data';
import { CONFIG } from '@holdfast/service';
import type { SignalsConfig } from '../../config.js';
import { Feed, type FeedEntry, type FeedSubscriber } from '../../feed/feed.js';
import { securityEventsOf } from '../security-events.js';
import { issuerOf } from '../stream.js';
import { PushQueue } from './push-queue.js';

interface Row {
  org: string;
  audience: string;
  seq: number;
  part: number;
  jti: string;
  uri: string;
  key: string;
  claims: object;
}

/** A row for each stream that carries an event, and whose receiver gets events about this subject. */
const fanOut = namedStatement(
  'ssf_fan_out',
  {
    events: columns<Row>({
      org: ['text', (e) => e.org],
      audience: ['text', (e) => e.audience],
      seq: ['bigint', (e) => e.seq],
      part: ['smallint', (e) => e.part],
      jti: ['text', (e) => e.jti],
      uri: ['text', (e) => e.uri],
      key: ['bytea', (e) => Buffer.from(e.key, 'hex')],
      claims: ['json', (e) => JSON.stringify(e.claims)],
    }),
    now: 'timestamptz',
  },
  ({ events, now }) =>
    `INSERT INTO ssf_event (stream, seq, part, created_at, org, jti, uri, key, claims, due_at)
     SELECT w.id, e.seq, e.part, ${now}::timestamptz, e.org, e.jti, e.uri, e.key, e.claims, ${now}::timestamptz
       FROM ${events.unnest('e')} JOIN ssf_stream w ON w.org = e.org AND w.audience = e.audience
       LEFT JOIN ssf_subject x ON x.stream = w.id AND x.key = e.key
      WHERE NOT w.disabled AND (w.events_requested IS NULL OR e.uri = ANY (w.events_requested))
        AND coalesce(x.added, w.default_subjects = 'ALL')
     ON CONFLICT DO NOTHING`,
);
const forget = statement('ssf_event_forget', 'DELETE FROM ssf_event WHERE key = ANY ($1::bytea[])');
/** Not before the last event about a subject has found the streams that are about them. */
const forgetSubjects = statement('ssf_subject_forget', 'DELETE FROM ssf_subject WHERE key = ANY ($1::bytea[])');
const lastTypes: readonly string[] = ['subject.erased', 'user.removed'];

/** Stores the security events of streams in the transaction that appends to the feed what they follow from. */
@Injectable()
export class StreamFanOut implements FeedSubscriber, OnModuleInit {
  readonly flag = 'streams';

  constructor(
    private readonly feed: Feed,
    private readonly queue: PushQueue,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  onModuleInit(): void {
    this.feed.addSubscriber(this);
  }

  async add(sql: Sql, entries: readonly FeedEntry[], erased: readonly Buffer[], now: Date): Promise<() => void> {
    const events = entries.flatMap((entry) => this.rowsOf(entry));
    const last = entries.filter(({ type }) => lastTypes.includes(type)).map(({ key }) => Buffer.from(key, 'hex'));
    // In this order on one connection: the confirmation of an erasure may be among the entries.
    await Promise.all([
      ...(erased.length > 0 ? [sql.rows(forget, [erased])] : []),
      ...(events.length > 0 ? [sql.rows(fanOut, fanOut.values({ events, now }))] : []),
      ...(last.length > 0 ? [sql.rows(forgetSubjects, [last])] : []),
    ]);
    return () => {
      if (events.length > 0) this.queue.wake(new Set(events.map(({ org }) => org)));
    };
  }

  private rowsOf(entry: FeedEntry): Row[] {
    const { org, seq, id, key, cause } = entry;
    return securityEventsOf(entry, issuerOf(org, this.config.BASE_URL)).map(({ part, audience, uri, claims }) => ({
      ...{ org, seq, part, audience, uri, key },
      jti: `${id}.${part}`,
      claims: { ...claims, txn: cause?.record ?? id },
    }));
  }
}
