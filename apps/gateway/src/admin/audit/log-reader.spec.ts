import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { Bus } from '@holdfast/messaging';
import { newRequestContext } from '../../edge/request-context.js';
import type { LogGrowth } from './log-growth.js';
import { LogReader } from './log-reader.js';

const requestOf = (org: string) => {
  const context = { ...newRequestContext({ headers: {}, ip: '' }), claims: { org, client_id: 'app-1' } };
  return { requestContext: context, headers: {}, routeOptions: {} } as unknown as FastifyRequest;
};
const acme = requestOf('acme');
const reading = { filter: {}, limit: 200, after: 4 };

describe('pages for streams', () => {
  let requested: { org: string; after?: number }[];
  let respond: () => Promise<object>;
  let reader: LogReader;

  beforeEach(() => {
    requested = [];
    respond = () => Promise.resolve({ items: [], after: 4, hasMore: false });
    const request = (_: unknown, { after }: { after?: number }, { org }: { org: string }) => {
      requested.push({ org, ...(after !== undefined && { after }) });
      return respond();
    };
    reader = new LogReader({ request } as unknown as Bus, {} as LogGrowth);
  });

  it('are read once for all that are at the same place of a log, and again afterwards', async () => {
    const pages = await Promise.all([1, 2, 3].map(() => reader.sharedPage(acme, reading)));
    expect(new Set(pages).size).toBe(1);
    expect(requested).toEqual([{ org: 'acme', after: 4 }]);
    await reader.sharedPage(acme, reading);
    expect(requested).toHaveLength(2);
  });

  it('are read for each organization, filter and place, and at the beginning for each stream', async () => {
    await Promise.all([
      reader.sharedPage(acme, reading),
      reader.sharedPage(requestOf('globex'), reading),
      reader.sharedPage(acme, { ...reading, filter: { action: 'offer.create' } }),
      reader.sharedPage(acme, { ...reading, after: 5 }),
      reader.sharedPage(acme, { filter: {}, limit: 200 }),
      reader.sharedPage(acme, { filter: {}, limit: 200 }),
    ]);
    expect(requested).toHaveLength(6);
  });

  it('are read again after a failure, which all have that waited for it', async () => {
    respond = () => Promise.reject(new Error('no answer'));
    const results = await Promise.allSettled([1, 2].map(() => reader.sharedPage(acme, reading)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    respond = () => Promise.resolve({});
    await reader.sharedPage(acme, reading);
    expect(requested).toHaveLength(2);
  });
});
