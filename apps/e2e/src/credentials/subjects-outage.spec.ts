// With the read model stopped or hanging, offers and erasures succeed, and reads are correct or 503.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections, type Problem, type Reply } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { inParallel, times } from '../stack/parallel.ts';

let shop: Client;
let other: Client;
beforeAll(async () => {
  ({ shop, other } = await newClients({ shop: {}, other: {} }));
});
afterEach(async () => {
  for (const replica of ['subjects-1', 'subjects-2']) {
    await stack.control('resume', replica).catch(() => undefined);
    await stack.control('start', replica);
  }
});
afterAll(closeConnections);

/** Subjects whose offer or erasure was acknowledged. */
interface Acknowledged {
  present: Set<string>;
  erased: Set<string>;
}

/** Reads some subjects and the list. @returns every response that is neither correct nor 503 */
async function wrongReads({ present, erased }: Acknowledged): Promise<string[]> {
  const wrong: string[] = [];
  const add = (what: string, { status }: Reply<unknown>) => wrong.push(`${what}: ${status}`);
  const presentReads = inParallel([...[...present].slice(0, 3), ...[...present].slice(-2)], 5, async (subject) => {
    const read = await shop.get(subject);
    if (read.status === 503 ? read.headers['retry-after'] === undefined : read.status !== 200)
      add('GET of a customer', read);
  });
  const erasedReads = inParallel([...erased].slice(-3), 3, async (subject) => {
    const read = await shop.get<Problem>(subject);
    if (read.status !== 503 && read.body.code !== 'unknown_subject') add('GET of an erased customer', read);
  });
  const list = await shop.list({ limit: '200' });
  if (list.status === 200) {
    const ids = list.body.items.map((s) => s.subject);
    if (ids.some((id) => erased.has(id))) add('list with an erased customer', list);
    if (ids.length !== present.size || !ids.every((id) => present.has(id)))
      add(`list of ${ids.length} instead of ${present.size}`, list);
  } else if (list.status !== 503) add('list', list);
  await Promise.all([presentReads, erasedReads]);
  return wrong;
}

async function change(acknowledged: Acknowledged): Promise<void> {
  await inParallel(times(6), 6, async () => {
    const { status, body } = await shop.offer();
    expect(status).toBe(201);
    acknowledged.present.add(body.subject);
  });
  await inParallel([...acknowledged.present].slice(0, 2), 2, async (subject) => {
    expect((await shop.erase(subject)).status).toBe(204);
    acknowledged.present.delete(subject);
    acknowledged.erased.add(subject);
  });
}

async function begin(): Promise<Acknowledged> {
  const acknowledged = { present: new Set((await shop.all()).map((s) => s.subject)), erased: new Set<string>() };
  await change(acknowledged);
  return acknowledged;
}

async function expectAllReadsCorrect(acknowledged: Acknowledged): Promise<void> {
  const listed = (await shop.all()).map((s) => s.subject).sort();
  expect(listed).toEqual([...acknowledged.present].sort());
  expect(await wrongReads(acknowledged)).toEqual([]);
}

const interruptions: [string, (replica: string) => Promise<void>, (replica: string) => Promise<void>][] = [
  ['stopped', (r) => stack.control('stop', r), (r) => stack.control('start', r)],
  ['paused', (r) => stack.control('pause', r), (r) => stack.control('resume', r)],
];

describe.each(interruptions)('with both replicas %s', (_, interrupt, restore) => {
  it('makes changes, answers reads correctly or with 503, and catches up afterwards', async () => {
    const acknowledged = await begin();
    await Promise.all(['subjects-1', 'subjects-2'].map(interrupt));
    await change(acknowledged);
    for (const _round of times(3)) expect(await wrongReads(acknowledged)).toEqual([]);
    const { status, headers, body } = await shop.get<Problem>([...acknowledged.present][0]!);
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
    expect(headers['retry-after']).toMatch(/^\d+$/);

    // Reads must also be correct while the replicas are catching up.
    let catchingUp = true;
    const wrong: string[] = [];
    const reader = (async () => {
      while (catchingUp) wrong.push(...(await wrongReads(acknowledged)));
    })();
    await Promise.all(['subjects-1', 'subjects-2'].map(restore));
    await eventually(() => expectAllReadsCorrect(acknowledged));
    catchingUp = false;
    await reader;
    expect(wrong).toEqual([]);
    expect((await other.list()).status).toBe(200);
  });
});

describe.each(interruptions)('with one of two replicas %s', (_, interrupt, restore) => {
  it('makes changes, and answers reads correctly or with 503', async () => {
    const acknowledged = await begin();
    await interrupt('subjects-2');
    for (const _round of times(3)) {
      await change(acknowledged);
      expect(await wrongReads(acknowledged)).toEqual([]);
    }
    await restore('subjects-2');
    await eventually(() => expectAllReadsCorrect(acknowledged));
  });
});

describe('with both replicas killed repeatedly', () => {
  it('answers reads correctly or with 503', async () => {
    const acknowledged = await begin();
    for (const round of times(3)) {
      await Promise.all(['subjects-1', 'subjects-2'].map((r) => eventually(() => stack.control('kill', r))));
      if (round % 2 === 0) await change(acknowledged);
      expect(await wrongReads(acknowledged)).toEqual([]);
    }
    await eventually(() => expectAllReadsCorrect(acknowledged));
  });
});
