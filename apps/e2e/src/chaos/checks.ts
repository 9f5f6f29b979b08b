import { type AuditEvent, type PublicEvent } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { differencesFromLog } from '../audit/recount.ts';
import type { Client } from '../clients/client.ts';
import { rowsNaming } from '../stack/database.ts';
import { inParallel } from '../stack/parallel.ts';
import type { Oracle } from './chaos.ts';
import type { AcknowledgedCustomer } from './customer.ts';
import { FeedReader } from './feed-reader.ts';

/**
 * Compares the stack with what was acknowledged, until nothing differs or the time is over: consumers may still be
 * catching up. @returns every difference
 */
export async function checkAll(oracle: Oracle): Promise<string[]> {
  let errors: string[] = [];
  await eventually(
    async () => {
      errors = [
        ...(await checkSubjects(oracle.shop, oracle.customers)),
        ...(await checkFeed(oracle)),
        ...(await checkAudit(oracle)),
        ...(await checkErasures(oracle)),
        ...(await differencesFromLog(oracle.reader)),
        ...(await oracle.checkpointFollower.check(100, oracle.seed)),
        ...(await oracle.anonymousCaller.check(oracle.reader)),
        ...((await oracle.logConsumers?.check()) ?? []),
        ...(await checkWebhooks(oracle)),
        ...(await checkSecurityEvents(oracle)),
        ...((await oracle.logouts?.check(oracle.stack, oracle.customers)) ?? []),
      ];
      return errors.length === 0;
    },
    'consumers to catch up',
    180_000,
  ).catch((error: Error) => void (errors.length === 0 && errors.push(String(error))));
  return [...oracle.errors, ...errors];
}

/** Each receiver has every event of the feed, and nothing else but events of customers who were erased since. */
async function checkWebhooks({ webhooks, reader, customers }: Oracle): Promise<string[]> {
  if (!webhooks) return [];
  const erased = new Set(customers.filter((customer) => customer.erased).map(({ subject }) => subject));
  return webhooks.check(reader, await new FeedReader(reader).read(), erased);
}

/** Each security event follows from an event of the feed, and names the record of it in the log. */
async function checkSecurityEvents({ securityEvents, reader, customers }: Oracle): Promise<string[]> {
  if (!securityEvents) return [];
  const erased = new Set(customers.filter((customer) => customer.erased).map(({ subject }) => subject));
  return securityEvents.check(await new FeedReader(reader).read(), await reader.wholeLog(), erased);
}

async function checkSubjects(shop: Client, customers: AcknowledgedCustomer[]): Promise<string[]> {
  const errors: string[] = [];
  const present = customers.filter((c) => !c.erased);
  const erased = customers.filter((c) => c.erased);
  const ids = (await shop.all()).map((s) => s.subject);
  const listed = new Set(ids);
  if (listed.size !== ids.length) errors.push(`${ids.length - listed.size} customers are listed more than once`);
  for (const { subject } of present)
    if (!listed.delete(subject)) errors.push(`the acknowledged customer ${subject} is not listed`);
  for (const id of listed)
    errors.push(
      erased.some((c) => c.subject === id)
        ? `${id} is listed, though the erasure was acknowledged`
        : `${id} is listed, though no offer was acknowledged`,
    );
  return [...errors, ...(await checkStates(shop, customers))];
}

/** Each customer has the acknowledged state, and is gone after an erasure. */
export async function checkStates(shop: Client, customers: AcknowledgedCustomer[]): Promise<string[]> {
  const errors = await inParallel(customers, 8, async ({ subject, erased, status: acknowledged }) => {
    const { status, body } = await shop.get(subject);
    if (erased) return status === 404 ? [] : [`GET of the erased ${subject} returns ${status}`];
    const found = status === 200 ? body.credentials.map((c) => c.status).join() : String(status);
    return found === acknowledged ? [] : [`the credential of ${subject} is ${found} and should be ${acknowledged}`];
  });
  return errors.flat();
}

/**
 * The feed has every acknowledged change once, in order, with versions from 1 on. Of an erased customer it has only
 * `subject.erased`.
 */
async function checkFeed({ customers, feedFollower, reader }: Oracle): Promise<string[]> {
  const errors: string[] = [];
  const feed = await new FeedReader(reader).read();
  if (new Set(feed.map((e) => e.id)).size !== feed.length) errors.push('an event is in the feed twice');
  errors.push(...checkEvents(feed, customers));
  for (const [id, events] of Map.groupBy(feed, aggregateOf))
    if (!finalTypes.has(events[0]!.type) && hasGap(events))
      errors.push(`versions of ${id} in the feed: ${events.map((e) => e.version).join()}`);
  await feedFollower.read();
  const skipped = feed.filter((e) => !feedFollower.seen.has(e.id));
  if (skipped.length > 0) errors.push(`a reader that followed the feed never received ${skipped.length} events`);
  return errors;
}

/** The feed has every acknowledged event of these customers, once and in order. */
export function checkEvents(feed: PublicEvent[], customers: AcknowledgedCustomer[]): string[] {
  const errors: string[] = [];
  const byAggregate = Map.groupBy(feed, aggregateOf);
  for (const { subject, erased, events } of customers) {
    const found = byAggregate.get(subject) ?? [];
    const expected = erased ? ['subject.erased'] : events;
    if (found.map((e) => e.type).join() !== expected.join())
      errors.push(
        `the feed has of ${subject}: ${found.map((e) => `${e.type} ${e.version}`).join()}; ` +
          `it should have ${expected.join()}`,
      );
    if (erased && found[0] && found[0].version !== events.length + 1)
      errors.push(`the erasure of ${subject} has version ${found[0].version} after ${events.length} events`);
  }
  return errors;
}

/** Events that stay alone in the feed. */
const finalTypes = new Set<string>(['subject.erased', 'user.removed']);

/** The id of what an event is about. */
function aggregateOf({ data }: PublicEvent): string {
  return (data.subject ?? data.user ?? data.group ?? data.app ?? data.export) as string;
}

function hasGap(events: PublicEvent[]): boolean {
  return events.some((e, i) => e.version !== i + 1);
}

async function checkAudit({ customers, attempts, reader }: Oracle): Promise<string[]> {
  const log = await reader.wholeLog();
  const errors: string[] = [];
  const gaps = log.filter((e, i) => e.seq !== log[0]!.seq - i);
  if (gaps.length > 0 || log.at(-1)?.seq !== 1)
    errors.push(`seq has gaps, the first at ${gaps[0]?.seq}, or does not begin with 1`);
  const records = Map.groupBy(log, (e) => e.request.id);
  for (const { id, status, code } of attempts) {
    const found = records.get(id) ?? [];
    // A request without a response may never have arrived. One that ended with 503, because audit or the bus was
    // unavailable, may have left nothing to record.
    const least = status === undefined || status === 503 ? 0 : 1;
    if (found.length < least || found.length > 1)
      errors.push(
        `the request ${id} (${status ?? 'no response'} ${code ?? ''}) is recorded ${found.length} times: ` +
          found.map(inShort).join('; '),
      );
  }
  // The records of erasures name no customer any more, so they can only be counted.
  const erasures = log.filter((e) => e.action === 'subject.erase' && e.outcome.result === 'success').length;
  const erasedCustomers = customers.filter((c) => c.erased).length;
  if (erasures !== erasedCustomers)
    errors.push(`the log has ${erasures} erasures, and ${erasedCustomers} customers are erased`);
  return [...errors, ...checkRecords(log, customers)];
}

/** The log has a record of each acknowledged change of these customers, and none that names an erased one. */
export function checkRecords(log: AuditEvent[], customers: AcknowledgedCustomer[]): string[] {
  const errors: string[] = [];
  const successes = Map.groupBy(
    log
      .filter((e) => e.outcome.result === 'success')
      .flatMap((e) => e.targets.filter((t) => t.type === 'customer').map((t) => ({ ...e, subject: t.id }))),
    (e) => e.subject,
  );
  for (const { subject, erased, actions } of customers) {
    const found = successes.get(subject) ?? [];
    if (erased && found.length > 0) errors.push(`the log still names the erased ${subject}`);
    if (erased) continue;
    if (!found.some((e) => e.action === 'offer.create')) errors.push(`${subject} has no record of offer.create`);
    const changes = found.map((e) => e.action).filter((action) => actions.includes(action));
    if (changes.sort().join() !== [...actions].sort().join())
      errors.push(`the log has of ${subject}: ${changes.join()}; it should have ${actions.join()}`);
  }
  return errors;
}

/** No row names an erased customer, except the event `subject.erased`, on its way and in the feed, and what follows. */
export async function checkErasures({ stack, customers }: Pick<Oracle, 'stack' | 'customers'>): Promise<string[]> {
  const erased = customers.filter((c) => c.erased).map((c) => c.subject);
  const rows = (await rowsNaming(stack, erased)).filter(
    ({ text }) => !/subject\.erased|The customer was erased|account-purged/.test(text),
  );
  return rows.map(({ table, text }) => `a row of ${table} names an erased customer: ${text.slice(0, 200)}`);
}

function inShort({ seq, action, outcome }: AuditEvent): string {
  return `${seq} ${action} ${outcome.status} ${outcome.code ?? ''}`;
}
