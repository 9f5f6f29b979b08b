import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OutboundResponse } from '@holdfast/platform';
import { RemoteKeys } from './remote-keys.js';

const minute = 60_000;
const keyOf = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid });
let nowMs: number;
let requests: number;
/** Settles each request; undefined: it hangs. */
let respond: (() => Promise<OutboundResponse>) | undefined;
let keys: RemoteKeys;
const serve = (...served: object[]) => {
  const body = Buffer.from(JSON.stringify({ keys: served }));
  respond = () => Promise.resolve({ status: 200, headers: {}, body });
};

beforeEach(() => {
  [nowMs, requests] = [1_000_000, 0];
  const request = () => {
    requests += 1;
    return respond?.() ?? new Promise<never>(() => undefined);
  };
  keys = new RemoteKeys({ request }, () => nowMs);
  serve(keyOf('1'));
});
const find = (kid?: string, uri = 'https://a.example') => keys.find(uri, kid);
const kids = async (kid?: string) => (await find(kid)).map(({ key }) => key.kid);

describe('RemoteKeys', () => {
  it('loads a set once, and again after five minutes without delaying a request', async () => {
    for (let i = 0; i < 5; i += 1) expect(await kids('1')).toEqual(['1']);
    expect(requests).toBe(1);
    nowMs += 5 * minute;
    serve(keyOf('1'), keyOf('2'));
    expect(await kids('1')).toEqual(['1']);
    expect(requests).toBe(2);
    await new Promise(setImmediate);
    expect(await kids('2')).toEqual(['1', '2']);
    expect(requests).toBe(2);
  });

  it('loads a set again for an unknown id, at most every ten seconds', async () => {
    await find('1');
    serve(keyOf('2'));
    expect(await kids('2')).toEqual(['1']);
    nowMs += 10_000;
    expect(await kids('2')).toEqual(['2']);
    expect(await kids('3')).toEqual(['2']);
    expect(requests).toBe(2);
  });

  it('uses keys while their address fails for less than ten minutes, and none afterwards', async () => {
    await find('1');
    respond = () => Promise.reject(new Error('no response.'));
    nowMs += 9 * minute;
    expect(await kids('1')).toEqual(['1']);
    nowMs += minute;
    await expect(find('1')).rejects.toThrow('no response.');
    serve(keyOf('2'));
    nowMs += 10_000;
    expect(await kids('2')).toEqual(['2']);
  });

  it('refuses further requests at once while four wait for a slow address', async () => {
    respond = undefined;
    const waiting = Array.from({ length: 4 }, () => find('1'));
    await expect(find('1')).rejects.toThrow('not loaded yet');
    expect(requests).toBe(1);
    void Promise.allSettled(waiting);
  });

  it('loads from at most eight addresses at a time', async () => {
    respond = undefined;
    for (let i = 0; i < 8; i += 1) void find('1', `https://${i}.example`).catch(() => undefined);
    await expect(find('1', 'https://further.example')).rejects.toThrow('not loaded yet');
    expect(requests).toBe(8);
  });
});
