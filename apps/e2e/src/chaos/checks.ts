import { type AuditEvent, type PublicEvent } from '@holdfast/contracts';
import type { Client } from '../client.ts';
import { eventually, inParallel } from '../parallel.ts';
import type { Oracle } from './chaos.ts';
import type { Known } from './customer.ts';
import { rowsNaming } from '../database.ts';
import { FeedReader } from './feed-reader.ts';

/**
 * Everything that is wrong after the storm; none when all is as the callers were told. Waits for what may come late.
 */
export async function judge(oracle: Oracle, within = 90_000): Promise<string[]> {
  let wrong: string[] = [];
  await eventually(async () => {
    wrong = [
      ...(await checkSubjects(oracle.shop, oracle.customers)),
      ...(await checkFeed(oracle)),
      ...(await checkAudit(oracle)),
      ...(await checkErasures(oracle)),
      ...(await oracle.witness.judge(100, oracle.seed)),
      ...(await oracle.stranger.judge(oracle.reader)),
    ];
    return wrong.length === 0;
  }, within).catch((error: Error) => void (wrong.length === 0 && wrong.push(String(error))));
  return [...oracle.errors, ...wrong];
}

async function checkSubjects(shop: Client, customers: Known[]): Promise<string[]> {
  const wrong: string[] = [];
  const there = customers.filter((c) => !c.erased);
  const ids = (await shop.all()).map((s) => s.subject);
  const listed = new Set(ids);
  if (listed.size !== ids.length) wrong.push(`${ids.length - listed.size} customers are listed more than once`);
  for (const { subject } of there)
    if (!listed.delete(subject)) wrong.push(`the acknowledged customer ${subject} is missing`);
  for (const id of listed)
    wrong.push(
      `${id} is listed, of whom nobody was told${customers.some((c) => c.subject === id) ? ' but that they were erased' : ''}`,
    );
  await inParallel(there, 8, async ({ subject, status: expected }) => {
    const { status, body } = await shop.get(subject);
    const found = status === 200 ? body.credentials.map((c) => c.status).join() : String(status);
    if (found !== expected) wrong.push(`the credential of ${subject} is ${found} and should be ${expected}`);
  });
  await inParallel(
    customers.filter((c) => c.erased),
    8,
    async ({ subject }) => {
      const { status } = await shop.get(subject);
      if (status !== 404) wrong.push(`get of the erased ${subject} is ${status}`);
    },
  );
  return wrong;
}

/**
 * Every acknowledged change is in the feed once, in order, with versions from 1 on; of who is erased the receipt alone.
 */
async function checkFeed({ customers, follower, reader }: Oracle): Promise<string[]> {
  const wrong: string[] = [];
  const feed = await new FeedReader(reader).read();
  if (new Set(feed.map((e) => e.id)).size !== feed.length) wrong.push('an event is in the feed twice');
  const about = Map.groupBy(feed, (e) => (e.data.subject ?? e.data.app) as string);
  for (const { subject, erased, events } of customers) {
    const found = about.get(subject) ?? [];
    const expected = erased ? ['subject.erased'] : events;
    if (found.map((e) => e.type).join() !== expected.join())
      wrong.push(
        `the feed says of ${subject}: ${found.map((e) => `${e.type} ${e.version}`).join()}; it should be ${expected.join()}`,
      );
    if (erased && found[0] && found[0].version !== events.length + 1)
      wrong.push(`the erasure of ${subject} has version ${found[0].version} after ${events.length} events`);
  }
  for (const [id, events] of about)
    if (events[0]!.type !== 'subject.erased' && hasGap(events))
      wrong.push(`versions of ${id} in the feed: ${events.map((e) => e.version).join()}`);
  await follower.read();
  const skipped = feed.filter((e) => !follower.seen.has(e.id));
  if (skipped.length > 0) wrong.push(`who followed the feed never saw ${skipped.length} events`);
  return wrong;
}

function hasGap(events: PublicEvent[]): boolean {
  return events.some((e, i) => e.version !== i + 1);
}

async function checkAudit({ customers, attempts, reader }: Oracle): Promise<string[]> {
  const log = await reader.wholeLog();
  const wrong: string[] = [];
  const gaps = log.filter((e, i) => e.seq !== log[0]!.seq - i);
  if (gaps.length > 0 || log.at(-1)?.seq !== 1)
    wrong.push(`seq has gaps, the first at ${gaps[0]?.seq}, or does not begin with 1`);
  const records = Map.groupBy(log, (e) => e.request.id);
  for (const { id, status, code } of attempts) {
    const found = records.get(id) ?? [];
    // A request without an answer may never have arrived; one that says that audit is away or the bus broke may have
    // left nothing to record.
    const least = status === undefined || status === 503 ? 0 : 1;
    if (found.length < least || found.length > 1)
      wrong.push(
        `the request ${id} (${status ?? 'no answer'} ${code ?? ''}) is recorded ${found.length} times: ${found.map(inShort).join('; ')}`,
      );
  }
  const successes = Map.groupBy(
    log
      .filter((e) => e.outcome.result === 'success')
      .flatMap((e) => e.targets.filter((t) => t.type === 'customer').map((t) => ({ ...e, about: t.id }))),
    (e) => e.about,
  );
  // Nobody is named any more by whose erasure it was, but each was made once and stands as what it was.
  const erasures = log.filter((e) => e.action === 'subject.erase' && e.outcome.result === 'success').length;
  const gone = customers.filter((c) => c.erased).length;
  if (erasures !== gone) wrong.push(`the log has ${erasures} erasures, and ${gone} customers are erased`);
  for (const { subject, erased, actions } of customers) {
    const found = successes.get(subject) ?? [];
    if (erased && found.length > 0) wrong.push(`the log still knows the erased ${subject}`);
    if (erased) continue;
    if (!found.some((e) => e.action === 'offer.create')) wrong.push(`${subject} has no record of their making`);
    const changes = found
      .map((e) => e.action)
      .filter((action) => actions.includes(action))
      .reverse();
    if (changes.sort().join() !== [...actions].sort().join())
      wrong.push(`the log has of ${subject}: ${changes.join()}; it should have ${actions.join()}`);
  }
  return wrong;
}

/** The receipts in the feed, and in the outbox on their way to others, are all that may name who is erased. */
async function checkErasures({ stack, customers }: Oracle): Promise<string[]> {
  const erased = customers.filter((c) => c.erased).map((c) => c.subject);
  const rows = (await rowsNaming(stack, erased)).filter(({ text }) => !text.includes('subject.erased'));
  return rows.map(({ table, text }) => `a row of ${table} names somebody who is erased: ${text.slice(0, 200)}`);
}

function inShort({ seq, action, outcome }: AuditEvent): string {
  return `${seq} ${action} ${outcome.status} ${outcome.code ?? ''}`;
}
