// Page tokens: opaque, authenticated, bound to app and filter, and reliable while the list changes.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubjectSummary } from '@holdfast/contracts';
import { randomSequence } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { newClients } from '../clients/under-test.ts';
import { chaosSeed } from '../stack/config.ts';
import { inParallel, times } from '../stack/parallel.ts';

const seed = chaosSeed();

let shop: Client;
let kiosk: Client;
let auditor: Client;
let elsewhere: Client;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({ shop: {}, kiosk: {}, auditor: { kind: 'service', grants: ['audit:read'] } }),
    newClients({ shop: {} }),
  ]);
  ({ shop, kiosk, auditor } = here);
  elsewhere = there.shop;
  await Promise.all([shop, kiosk, elsewhere].flatMap((client) => times(3).map(() => client.offer())));
});
afterAll(closeConnections);

const firstToken = async (client: Client, query: Record<string, string> = {}) =>
  (await client.list({ limit: '1', ...query })).body.nextPageToken!;

describe('a page token', () => {
  it('is valid at either gateway, with another limit, and several times', async () => {
    const token = await firstToken(shop);
    const pages = await Promise.all(
      [0, 1, 0].map((gateway) => shop.list({ limit: '2', next_page_token: token }, { gateway })),
    );
    expect(pages[0]!.body.items).toHaveLength(2);
    expect(pages[1]!.body.items).toEqual(pages[0]!.body.items);
    expect(pages[2]!.body.items).toEqual(pages[0]!.body.items);
  });

  it('does not reveal its content', async () => {
    const token = await firstToken(shop);
    const { body } = await shop.list({ limit: '1' });
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    const inside = Buffer.from(token, 'base64url').toString('latin1');
    expect(inside).not.toContain(body.items[0]!.subject);
    expect(inside).not.toContain('createdAt');
    expect(await firstToken(shop)).not.toBe(token);
  });

  it('is rejected when any character of it is changed', async () => {
    const token = await firstToken(shop);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const changed = [...token].map(
      (c, i) => token.slice(0, i) + alphabet[(alphabet.indexOf(c) + 1) % 64]! + token.slice(i + 1),
    );
    const replies = await inParallel(changed, 8, (next_page_token) => shop.list<Problem>({ next_page_token }));
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['400 invalid_page_token']),
    );
  });

  it('is rejected when it is truncated, extended, encoded differently or invented', async () => {
    const token = await firstToken(shop);
    const bad = [
      token.slice(1),
      token.slice(0, -1),
      token.slice(0, -4),
      `${token}A`,
      `${token}AAAA`,
      `${token}=`,
      `${token}==`,
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${token}.`,
      `${token}${token}`,
      [...token].reverse().join(''),
      token.toLowerCase(),
    ];
    bad.push(
      // Standard base64, with padding: other characters in any case.
      Buffer.from(token, 'base64url')
        .toString('base64')
        .padEnd(token.length + 1, '='),
      'x',
      '0',
      '-1',
      'null',
      '{}',
      "' OR 1=1 --",
      randomBytes(28).toString('base64url'),
      randomBytes(100).toString('base64url'),
      Buffer.from(
        JSON.stringify({ createdAt: '2026-01-01T00:00:00.000Z', subject: '00000000-0000-0000-0000-000000000000' }),
      ).toString('base64url'),
    );
    for (const next_page_token of bad) {
      const { status, body } = await shop.list<Problem>({ next_page_token });
      expect({ next_page_token, status, code: body.code }).toEqual({
        next_page_token,
        status: 400,
        code: 'invalid_page_token',
      });
      expect(body.errors).toEqual([expect.objectContaining({ parameter: 'next_page_token' })]);
    }
  });

  it.each([
    ['long', `next_page_token=${'A'.repeat(2001)}`],
    ['very long', `next_page_token=${'A'.repeat(8000)}`],
    ['empty', 'next_page_token='],
    ['without a value', 'next_page_token'],
    ['given twice', 'next_page_token=a&next_page_token=b'],
  ])('is rejected when it is %s', async (_, query) => {
    const { status, body } = await shop.list<Problem>(query);
    expect(status).toBe(400);
    expect(body.code).toBe(query.includes('&') ? 'invalid_request' : 'invalid_page_token');
  });

  it('is rejected with another filter', async () => {
    const [unfiltered, filtered] = await Promise.all([firstToken(shop), firstToken(shop, { claimed: 'false' })]);
    const mixed: Record<string, string>[] = [
      { claimed: 'false', next_page_token: unfiltered },
      { claimed: 'true', next_page_token: unfiltered },
      { next_page_token: filtered },
      { claimed: 'true', next_page_token: filtered },
    ];
    for (const query of mixed)
      expect(await shop.list<Problem>(query)).toMatchObject({ status: 400, body: { code: 'invalid_page_token' } });
    expect((await shop.list({ claimed: 'false', next_page_token: filtered })).status).toBe(200);
  });

  it('is rejected when another app, organization or list issued it', async () => {
    const { body: log } = await auditor.audit({ limit: '1' });
    const foreign = [await firstToken(kiosk), await firstToken(elsewhere), log.nextPageToken!];
    for (const next_page_token of foreign)
      expect(await shop.list<Problem>({ next_page_token })).toMatchObject({
        status: 400,
        body: { code: 'invalid_page_token' },
      });
    const { status, body } = await auditor.audit<Problem>({ next_page_token: await firstToken(shop) });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_page_token' });
  });
});

describe(`a list of three hundred customers (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  const random = randomSequence(seed);
  let lister: Client;
  let created: string[];
  beforeAll(async () => {
    ({ lister } = await newClients({ lister: {} }));
    created = await inParallel(times(300), 8, async () => (await lister.offer()).body.subject);
  });

  it.each([200, 199, 50, 7, 1])('has each of them once in pages of %d, newest first', async (limit) => {
    const seen = await pages(lister, () => (limit === 1 ? 1 + random(3) : limit));
    expect(seen.map((s) => s.subject).sort()).toEqual([...created].sort());
    expectNewestFirst(seen);
  });

  it('has each of them once while others are added and erased', async () => {
    const erased = new Set<string>();
    const added: string[] = [];
    let changing = true;
    const changes = inParallel(times(4), 4, async () => {
      while (changing) {
        added.push((await lister.offer()).body.subject);
        const subject = created[random(created.length)]!;
        if (erased.has(subject)) continue;
        erased.add(subject);
        expect((await lister.erase(subject)).status).toBe(204);
      }
    });
    const limits = [() => 1 + random(200), () => 200, () => 50, () => 1 + random(5), () => 17];
    const walks = await Promise.all(limits.map((limit) => pages(lister, limit)));
    changing = false;
    await changes;
    const remaining = created.filter((id) => !erased.has(id));
    expect(added.length).toBeGreaterThan(20);
    for (const seen of walks) {
      const ids = seen.map((s) => s.subject);
      expect(new Set(ids).size).toBe(ids.length);
      const listed = new Set(ids);
      expect(remaining.filter((id) => !listed.has(id))).toEqual([]);
      expectNewestFirst(seen);
    }
    const after = await lister.all();
    expect(after.map((s) => s.subject).sort()).toEqual([...remaining, ...added].sort());
    created = after.map((s) => s.subject);
  });

  async function pages(client: Client, limit: () => number): Promise<SubjectSummary[]> {
    const seen: SubjectSummary[] = [];
    let token: Record<string, string> = {};
    for (;;) {
      const requested = limit();
      const { status, body } = await client.list({ limit: String(requested), ...token });
      expect(status).toBe(200);
      // Only the last page may be shorter.
      expect(body.items.length).toBeLessThanOrEqual(requested);
      expect(body.hasMore && body.items.length < requested).toBe(false);
      seen.push(...body.items);
      if (!body.hasMore) return seen;
      token = { next_page_token: body.nextPageToken! };
    }
  }

  function expectNewestFirst(seen: SubjectSummary[]): void {
    const order = seen.map((s) => `${s.createdAt} ${s.subject}`);
    expect(order).toEqual([...order].sort().reverse());
  }
});
