import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  customerEventSchema,
  getSubject,
  listSubjects,
  type CustomerEvent,
  type SubjectCursor,
} from '@holdfast/contracts';
import { customerKey, type AppError } from '@holdfast/platform';
import { eventually, FakeClock, testContext } from '@holdfast/testing';
import { pages, pagesOfAll } from './subject/list-subjects.handler.js';
import { SubjectsStack } from './subjects-stack.fixture.js';

const start = Date.parse('2026-11-21T09:00:00.000Z');

describe('the read model of customers', () => {
  const clock = new FakeClock(new Date(start));
  let stack: SubjectsStack;
  const event = (
    subject: string,
    version: number,
    given: { app?: string; at?: number; erased?: boolean; expiresAt?: number } = {},
  ): CustomerEvent => {
    const { app = 'app-1', at = start, erased = false, expiresAt = start + 60_000 } = given;
    const createdAt = new Date(at).toISOString();
    return customerEventSchema.parse({
      id: randomUUID(),
      type: erased ? 'subject.erasure_started' : 'offer.created',
      occurredAt: createdAt,
      org: 'acme',
      subject,
      version,
      requestId: 'r',
      traceparent: 't',
      ...(!erased && {
        state: {
          subject,
          app,
          createdAt,
          credentials: [
            {
              id: subject,
              credentialType: 'customer',
              status: 'offered',
              revocable: true,
              holderId: subject,
              createdAt,
            },
          ],
          offers: [
            {
              id: subject,
              credentialId: subject,
              status: 'open',
              createdAt,
              expiresAt: new Date(expiresAt).toISOString(),
            },
          ],
        },
      }),
    });
  };
  const publish = (...events: CustomerEvent[]) => stack.publish(...events);
  const get = (subject: string, app = 'app-1', org = 'acme') =>
    stack.bus.request(getSubject, { subject }, testContext({ org, actor: { type: 'app', id: app } }));
  const list = (app: string, more: object = {}) =>
    stack.bus.request(listSubjects, { limit: 50, ...more }, testContext({ actor: { type: 'app', id: app } }));
  const applied = (subject: string) =>
    eventually(() =>
      get(subject).then(
        () => true,
        () => false,
      ),
    );

  beforeAll(async () => {
    stack = await SubjectsStack.start({ clock });
  });
  afterAll(() => stack?.stop());

  it('returns a customer to the app that made the offer and to no other', async () => {
    const subject = randomUUID();
    await publish(event(subject, 1));
    await applied(subject);
    await expect(get(subject)).resolves.toMatchObject({ subject, claimed: false });
    await expect(get(subject, 'kiosk')).rejects.toMatchObject({ code: 'unknown_subject' });
    await expect(get(subject, 'app-1', 'globex')).rejects.toMatchObject({ code: 'unknown_subject' });
  });

  it('returns to each of a hundred requests at once what its own app and organization may see', async () => {
    const subjects = Array.from({ length: 20 }, () => randomUUID());
    await publish(...subjects.map((subject) => event(subject, 1)));
    await applied(subjects.at(-1)!);
    const results = await Promise.allSettled(
      subjects.flatMap((subject) => [
        get(subject),
        get(subject, 'kiosk'),
        get(subject, 'app-1', 'globex'),
        get(subject),
        get(randomUUID()),
      ]),
    );
    const outcomes = results.map((result) =>
      result.status === 'fulfilled' ? result.value.subject : (result.reason as AppError).code,
    );
    const unknown = 'unknown_subject';
    expect(outcomes).toEqual(subjects.flatMap((subject) => [subject, unknown, unknown, subject, unknown]));
  });

  it('fails the request for a row that cannot be read, and no other one of the same statement', async () => {
    const [good, bad] = [randomUUID(), randomUUID()];
    await publish(event(good, 1), event(bad, 1));
    await applied(bad);
    await applied(good);
    const key = customerKey('acme', bad).toString('hex');
    // As for a damaged page: the statement fails when it reads this row.
    await stack.database.query(
      `CREATE FUNCTION subjects.damaged() RETURNS boolean LANGUAGE plpgsql AS
       $$ BEGIN RAISE 'invalid page in block 7' USING ERRCODE = 'data_corrupted'; END $$`,
    );
    await stack.database.query('ALTER TABLE subjects.subject ENABLE ROW LEVEL SECURITY');
    await stack.database.query(
      `CREATE POLICY damaged ON subjects.subject
       USING (CASE WHEN key = '\\x${key}' THEN subjects.damaged() ELSE true END)`,
    );
    try {
      const results = await Promise.allSettled([get(good), get(bad), get(good), get(bad), get(good)]);
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
    } finally {
      await stack.database.query('DROP POLICY damaged ON subjects.subject');
      await stack.database.query('ALTER TABLE subjects.subject DISABLE ROW LEVEL SECURITY');
      await stack.database.query('DROP FUNCTION subjects.damaged');
    }
  });

  it('keeps the newest version for reordered and repeated events', async () => {
    const subject = randomUUID();
    const marker = randomUUID();
    await publish(
      event(subject, 3, { app: 'third' }),
      event(subject, 1),
      event(subject, 2),
      event(subject, 3, { app: 'third' }),
      event(marker, 1),
    );
    await applied(marker);
    await expect(get(subject, 'third')).resolves.toMatchObject({ subject });
    await expect(get(subject)).rejects.toMatchObject({ code: 'unknown_subject' });
  });

  it('keeps the newest version in any order of batches, also when the last one is older', async () => {
    const orders = [
      [1, 2, 3],
      [1, 3, 2],
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ].map((versions) => ({ subject: randomUUID(), versions }));
    for (const round of [0, 1, 2]) {
      await publish(
        ...orders.map(({ subject, versions }) => event(subject, versions[round]!, { app: `v${versions[round]}` })),
      );
      // The marker is applied after them, so that the next round is a batch of its own.
      const marker = randomUUID();
      await publish(event(marker, 1));
      await applied(marker);
    }
    for (const { subject } of orders) {
      await expect(get(subject, 'v3')).resolves.toMatchObject({ subject });
      await expect(get(subject, 'v1')).rejects.toMatchObject({ code: 'unknown_subject' });
      await expect(get(subject, 'v2')).rejects.toMatchObject({ code: 'unknown_subject' });
    }
  });

  it('never restores an erased customer, not even by an event with a later version', async () => {
    const [subject, neverSeen, first, marker] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await publish(event(subject, 1), event(subject, 2, { erased: true }), event(neverSeen, 2, { erased: true }));
    // What follows the first marker is a batch of its own: within one batch another rule decides.
    await publish(event(first, 1));
    await applied(first);
    await publish(event(subject, 1), event(subject, 9), event(neverSeen, 1), event(marker, 1));
    await applied(marker);
    await expect(get(subject)).rejects.toMatchObject({ code: 'unknown_subject' });
    await expect(get(neverSeen)).rejects.toMatchObject({ code: 'unknown_subject' });
    const dump = JSON.stringify(
      await stack.database.query(
        "SELECT encode(key, 'hex') AS key, org, app, subject, state, claimed, created_at FROM subjects.subject",
      ),
    );
    expect(dump).not.toContain(subject);
  });

  it('answers 503 while it is behind a watermark, for that organization only, and recovers by itself', async () => {
    const subject = randomUUID();
    await stack.database.query('INSERT INTO watermarks.subjects (org, aggregate, version) VALUES ($1, $2, 1)', [
      'acme',
      customerKey('acme', subject),
    ]);
    await expect(get(subject)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    await expect(list('app-1')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(get(subject, 'app-1', 'globex')).rejects.toMatchObject({ code: 'unknown_subject' });
    await publish(event(subject, 1));
    await applied(subject);
    expect(await stack.database.query('SELECT 1 FROM watermarks.subjects')).toEqual([]);
  });

  it('waits in a get and in a list for an event that is a little late, instead of responding 503', async () => {
    const subject = randomUUID();
    await stack.database.query('INSERT INTO watermarks.subjects (org, aggregate, version) VALUES ($1, $2, 1)', [
      'acme',
      customerKey('acme', subject),
    ]);
    const reads = Promise.all([get(subject), list('app-1')]);
    await setTimeout(100);
    await publish(event(subject, 1));
    const [customer, page] = await reads;
    expect(customer).toMatchObject({ subject });
    expect(JSON.stringify(page)).toContain(subject);
  });

  it('deletes the watermark of an erasure when the customer is erased', async () => {
    const subject = randomUUID();
    await publish(event(subject, 1));
    await applied(subject);
    await stack.database.query('INSERT INTO watermarks.subjects (org, aggregate, version) VALUES ($1, $2, 2)', [
      'acme',
      customerKey('acme', subject),
    ]);
    await expect(get(subject)).rejects.toMatchObject({ code: 'unavailable' });
    await publish(event(subject, 2, { erased: true }));
    await eventually(() =>
      get(subject).then(
        () => false,
        (e: { code: string }) => e.code === 'unknown_subject',
      ),
    );
  });

  it('lists all customers newest first, each once, with equal times and during concurrent changes', async () => {
    const app = 'lister';
    // Ten customers share each time, so the id must break the tie.
    const all = Array.from({ length: 300 }, (_, i) => ({ subject: randomUUID(), at: start + Math.floor(i / 10) }));
    await publish(...all.map(({ subject, at }) => event(subject, 1, { app, at })));
    await eventually(
      async () =>
        (await stack.database.query(`SELECT count(*)::int AS n FROM subjects.subject WHERE app = 'lister'`))[0]!.n ===
        300,
    );
    for (const limit of [1, 7, 50, 200]) {
      const seen: string[] = [];
      const erased = new Set<string>();
      let after: SubjectCursor | undefined;
      do {
        const { items, next } = await list(app, { limit, ...(after && { after }) });
        seen.push(...items.map((i) => i.subject));
        after = next;
        if (limit === 7 && seen.length % 70 === 0) {
          const next = all.find((s) => !seen.includes(s.subject) && !erased.has(s.subject));
          if (next) {
            erased.add(next.subject);
            await publish(
              event(next.subject, 2, { erased: true }),
              event(randomUUID(), 1, { app, at: start + 10_000 }),
            );
          }
        }
      } while (after);
      expect(new Set(seen).size).toBe(seen.length);
      if (limit === 1)
        expect(seen).toEqual(
          [...all].sort((a, b) => b.at - a.at || (a.subject < b.subject ? 1 : -1)).map((s) => s.subject),
        );
      for (const { subject } of all) if (!erased.has(subject) && limit === 7) expect(seen).toContain(subject);
    }
  });

  it('counts an offer as open up to the second of its expiration', async () => {
    const subject = randomUUID();
    await publish(event(subject, 1, { app: 'second', expiresAt: start + 5000 }));
    await eventually(() =>
      get(subject, 'second').then(
        () => true,
        () => false,
      ),
    );
    clock.set(new Date(start + 4999));
    expect((await list('second')).items[0]!.openOffers).toBe(1);
    clock.set(new Date(start + 5000));
    expect((await list('second')).items[0]!.openOffers).toBe(0);
  });

  it('reads a page by index lookups, a late page as cheaply as the first', async () => {
    await stack.database.query(`
      INSERT INTO subjects.subject (key, version, org, app, subject, created_at, claimed, state)
      SELECT sha256(i::text::bytea), 1, 'acme', 'big', gen_random_uuid(),
             timestamptz '2026-01-01' + i * interval '1 second', false, '{}'
        FROM generate_series(1, 50000) i`);
    await stack.database.query('ANALYZE subjects.subject');
    const after = ['2026-01-01T00:30:00Z', '00000000-0000-4000-8000-000000000000'];
    const values = ['acme', 'big', 51];
    const first = await stack.database.buffers(pages.first.text, values);
    const late = await stack.database.buffers(pages.next.text, [...values, ...after]);
    expect(first).toBeLessThanOrEqual(60);
    expect(late).toBeLessThanOrEqual(first * 1.5 + 5);
    // Of every app: a page of each, and two lookups to find it.
    const [{ apps }] = (await stack.database.query(
      `SELECT count(DISTINCT app)::int AS apps FROM subjects.subject WHERE org = 'acme'`,
    )) as [{ apps: number }];
    const all = ['acme', null, 51];
    for (const [{ text }, given] of [
      [pagesOfAll.first, all],
      [pagesOfAll.next, [...all, ...after]],
      [pagesOfAll.firstClaimed, [...all, false]],
    ] as const)
      expect(await stack.database.buffers(text, given)).toBeLessThanOrEqual(60 * (apps + 1));
  });

  it('lists the customers of every app for a person, in one order, and those of one app on request', async () => {
    const org = 'globex';
    const made = Array.from({ length: 23 }, (_, i) => ({
      subject: randomUUID(),
      app: `app-${i % 4}`,
      at: start + i * 10,
    }));
    await publish(...made.map(({ subject, ...given }) => ({ ...event(subject, 1, given), org })));
    const asPerson = testContext({ org, actor: { type: 'person', id: randomUUID() } });
    const listed = async (filter: { app?: string; claimed?: boolean }) => {
      const items = [];
      for (let after: SubjectCursor | undefined; ;) {
        const page = { limit: 5, ...filter, ...(after && { after }) };
        const reply = await stack.bus.request(listSubjects, page, asPerson);
        items.push(...reply.items);
        if (!(after = reply.next)) return items.map(({ subject, app }) => ({ subject, app }));
      }
    };
    const newestFirst = made.toReversed().map(({ subject, app }) => ({ subject, app }));
    await eventually(async () => expect(await listed({})).toEqual(newestFirst));
    expect(await listed({ claimed: false })).toEqual(newestFirst);
    expect(await listed({ claimed: true })).toEqual([]);
    expect(await listed({ app: 'app-2' })).toEqual(newestFirst.filter(({ app }) => app === 'app-2'));
    const { subject, app } = made[0]!;
    await expect(stack.bus.request(getSubject, { subject }, asPerson)).resolves.toMatchObject({ subject, app });
    const elsewhere = testContext({ org: 'acme', actor: asPerson.actor });
    await expect(stack.bus.request(getSubject, { subject }, elsewhere)).rejects.toMatchObject({
      code: 'unknown_subject',
    });
    const byApp = testContext({ org, actor: { type: 'app', id: 'app-1' } });
    const named = (name: string) => stack.bus.request(listSubjects, { limit: 5, app: name }, byApp);
    expect((await named('app-2')).items).toEqual([]);
    const own = (await named('app-1')).items;
    expect([own.length, own.some((item) => 'app' in item)]).toEqual([5, false]);
  });
});
