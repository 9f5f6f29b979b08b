import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, type JWK } from 'jose';
import type { Bus } from '@holdfast/messaging';
import type { Readiness } from '@holdfast/service';
import { PlatformKeys } from './platform-keys.js';

const jwkOf = async (kid: string): Promise<JWK> => ({
  ...(await exportJWK(generateKeyPairSync('ed25519').publicKey)),
  kid,
});

let published: JWK[];
let queries: number;
let isReady: () => unknown;
let keys: PlatformKeys;

beforeEach(async () => {
  [published, queries] = [[await jwkOf('k1')], 0];
  const bus = {
    request: () => {
      queries += 1;
      return Promise.resolve({ keys: published });
    },
  } as unknown as Bus;
  keys = new PlatformKeys(bus, { addCheck: (check: () => unknown) => (isReady = check) } as unknown as Readiness);
});

describe('PlatformKeys', () => {
  it('is ready once it has loaded the keys', async () => {
    expect(isReady()).toBe(false);
    await keys.refresh();
    expect(isReady()).toBe(true);
  });

  it('returns a loaded key without a further query', async () => {
    await keys.refresh();
    await keys.find('k1');
    await keys.find('k1');
    expect(queries).toBe(1);
  });

  it('loads the keys again for an unknown key id, but not for each of many', async () => {
    published = [...published, await jwkOf('k2')];
    await keys.find('k2');
    for (const kid of ['x1', 'x2', 'x3']) await expect(keys.find(kid)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(queries).toBe(1);
  });

  it('sends one query for concurrent requests', async () => {
    await Promise.all([keys.find('k1'), keys.find('k1'), keys.refresh()]);
    expect(queries).toBe(1);
  });

  it('rejects a token without a key id', async () => {
    await expect(keys.find(undefined)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(queries).toBe(0);
  });
});
