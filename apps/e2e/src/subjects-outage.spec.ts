// With the read model stopped or hanging: offers and erases go on; reads are right or 503, and never a guess.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from './client.ts';
import { eventually, inParallel, times } from './parallel.ts';
import { closeConnections, type Problem, type Reply } from './http.ts';
import { newClients, stack } from './under-test.ts';

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

/** What the app got an acknowledgement for. */
interface Acknowledged {
  there: Set<string>;
  gone: Set<string>;
}

/** A read is right, or it says that it does not know: anything else is noted. */
async function wrongReads({ there, gone }: Acknowledged): Promise<string[]> {
  const wrong: string[] = [];
  const note = (what: string, { status }: Reply<unknown>) => wrong.push(`${what}: ${status}`);
  const known = inParallel([...[...there].slice(0, 3), ...[...there].slice(-2)], 5, async (subject) => {
    const read = await shop.get(subject);
    if (read.status === 503 ? read.headers['retry-after'] === undefined : read.status !== 200)
      note('get of one that is there', read);
  });
  const erased = inParallel([...gone].slice(-3), 3, async (subject) => {
    const read = await shop.get<Problem>(subject);
    if (read.status !== 503 && read.body.code !== 'unknown_subject') note('get of one that is erased', read);
  });
  const list = await shop.list({ limit: '200' });
  if (list.status === 200) {
    const ids = list.body.items.map((s) => s.subject);
    if (ids.some((id) => gone.has(id))) note('list with one that is erased', list);
    if (ids.length !== there.size || !ids.every((id) => there.has(id)))
      note(`list of ${ids.length} in place of ${there.size}`, list);
  } else if (list.status !== 503) note('list', list);
  await Promise.all([known, erased]);
  return wrong;
}

async function change(acknowledged: Acknowledged): Promise<void> {
  await inParallel(times(6), 6, async () => {
    const { status, body } = await shop.offer();
    expect(status).toBe(201);
    acknowledged.there.add(body.subject);
  });
  await inParallel([...acknowledged.there].slice(0, 2), 2, async (subject) => {
    expect((await shop.erase(subject)).status).toBe(204);
    acknowledged.there.delete(subject);
    acknowledged.gone.add(subject);
  });
}

async function begin(): Promise<Acknowledged> {
  const acknowledged = { there: new Set((await shop.all()).map((s) => s.subject)), gone: new Set<string>() };
  await change(acknowledged);
  return acknowledged;
}

async function allRight(acknowledged: Acknowledged): Promise<true> {
  const seen = (await shop.all()).map((s) => s.subject).sort();
  expect(seen).toEqual([...acknowledged.there].sort());
  expect(await wrongReads(acknowledged)).toEqual([]);
  return true;
}

const ways: [string, (replica: string) => Promise<void>, (replica: string) => Promise<void>][] = [
  ['stopped', (r) => stack.control('stop', r), (r) => stack.control('start', r)],
  ['paused', (r) => stack.control('pause', r), (r) => stack.control('resume', r)],
];

describe.each(ways)('with both replicas %s', (_, interrupt, back) => {
  it('changes are made, reads are right or 503, and all is there when they are back', async () => {
    const acknowledged = await begin();
    await Promise.all(['subjects-1', 'subjects-2'].map(interrupt));
    await change(acknowledged);
    for (const _round of times(3)) expect(await wrongReads(acknowledged)).toEqual([]);
    const { status, headers, body } = await shop.get<Problem>([...acknowledged.there][0]!);
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
    expect(headers['retry-after']).toMatch(/^\d+$/);

    // From the first moment on, while they catch up:
    let catchingUp = true;
    const wrong: string[] = [];
    const reader = (async () => {
      while (catchingUp) wrong.push(...(await wrongReads(acknowledged)));
    })();
    await Promise.all(['subjects-1', 'subjects-2'].map(back));
    await eventually(() => allRight(acknowledged), 15_000, 'reading everything');
    catchingUp = false;
    await reader;
    expect(wrong).toEqual([]);
    expect((await other.list()).status).toBe(200);
  }, 120_000);
});

describe.each(ways)('with one of two replicas %s', (_, interrupt, back) => {
  it('everything goes on, and no read is wrong', async () => {
    const acknowledged = await begin();
    await interrupt('subjects-2');
    for (const _round of times(3)) {
      await change(acknowledged);
      expect(await wrongReads(acknowledged)).toEqual([]);
    }
    await back('subjects-2');
    await eventually(() => allRight(acknowledged), 15_000, 'reading everything');
  }, 120_000);
});

describe('with both replicas killed again and again', () => {
  it('no read is ever wrong', async () => {
    const acknowledged = await begin();
    for (const round of times(3)) {
      await Promise.all(
        ['subjects-1', 'subjects-2'].map((r) =>
          eventually(() => stack.control('kill', r).then(() => true), 20_000, 'a process to kill'),
        ),
      );
      if (round % 2 === 0) await change(acknowledged);
      expect(await wrongReads(acknowledged)).toEqual([]);
    }
    await eventually(() => allRight(acknowledged), 30_000, 'reading everything');
  }, 120_000);
});
