import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { PublicJwk } from '@holdfast/contracts';
import { changeKeySettings, defaultKeySettings, endsAllTokens, keyIds, removedKeys } from './key-settings.js';

const newKey = (kid?: string) => ({
  ...(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicJwk),
  ...(kid !== undefined && { kid }),
});
const [first, second] = [newKey('1'), newKey('2')];
const uri = 'https://shop.example/jwks';
const byKey = { tokenEndpointAuthMethod: 'private_key_jwt' } as const;
const withKeys = changeKeySettings('service', defaultKeySettings, { ...byKey, jwks: { keys: [first] } });
const withUri = changeKeySettings('service', defaultKeySettings, { ...byKey, jwksUri: uri });

function pointersOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    return (error as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
  }
  return [];
}
const refused = (kind: Parameters<typeof changeKeySettings>[0], given: Parameters<typeof changeKeySettings>[2]) =>
  pointersOf(() => changeKeySettings(kind, defaultKeySettings, given));

describe('the key settings of an app', () => {
  it('are those of a client secret when nothing is given', () => {
    for (const kind of ['web', 'spa', 'native', 'service'] as const)
      expect(changeKeySettings(kind, defaultKeySettings, {})).toEqual(defaultKeySettings);
  });

  it('need keys or their address for private_key_jwt, and not both', () => {
    expect(refused('web', byKey)).toEqual(['#/jwks']);
    expect(refused('web', { ...byKey, jwks: { keys: [first] }, jwksUri: uri })).toEqual(['#/jwksUri']);
    expect(withKeys).toMatchObject({ jwks: { keys: [first] }, jwksUri: null });
    expect(withUri).toMatchObject({ jwks: null, jwksUri: uri });
  });

  it('have no keys for a client secret, and no method for a public app', () => {
    expect(refused('web', { jwks: { keys: [first] } })).toEqual(['#/jwks']);
    expect(refused('web', { jwksUri: uri })).toEqual(['#/jwksUri']);
    expect(refused('spa', { ...byKey, jwks: { keys: [first] } })).toEqual(['#/tokenEndpointAuthMethod']);
    expect(refused('native', { tokenEndpointAuthMethod: 'client_secret_basic' })).toEqual([
      '#/tokenEndpointAuthMethod',
    ]);
    expect(refused('service', { accessTokenFormat: 'jwt' })).toEqual(['#/accessTokenFormat']);
  });

  it('name each key that cannot be used, and one that is there twice or has the kid of another', () => {
    const keys: Record<string, string>[] = [
      first,
      { kty: 'oct', k: 'x' },
      { ...newKey(), d: 'x' },
      first,
      newKey('1'),
      second,
    ];
    expect(refused('web', { ...byKey, jwks: { keys } })).toEqual([1, 2, 3, 4].map((i) => `#/jwks/keys/${i}`));
  });

  it('keep the keys that a change does not name, and drop them with the method', () => {
    expect(changeKeySettings('service', withKeys, { requireDpop: true })).toEqual({ ...withKeys, requireDpop: true });
    expect(changeKeySettings('service', withKeys, { jwksUri: uri })).toEqual(withUri);
    expect(changeKeySettings('service', withUri, { jwks: { keys: [first] } })).toEqual(withKeys);
    expect(changeKeySettings('service', withKeys, { tokenEndpointAuthMethod: 'client_secret_basic' })).toEqual(
      defaultKeySettings,
    );
  });
});

describe('tokens from before a change', () => {
  it('end for a key that was removed, and stay for one that remains', () => {
    const both = changeKeySettings('service', withKeys, { jwks: { keys: [first, second] } });
    expect([removedKeys(withKeys, both), endsAllTokens(withKeys, both)]).toEqual([[], false]);
    const rotated = changeKeySettings('service', both, { jwks: { keys: [second] } });
    expect([removedKeys(both, rotated), endsAllTokens(both, rotated)]).toEqual([keyIds(withKeys.jwks), false]);
  });

  it('all end with another method, another address or the first requirement of DPoP', () => {
    const toSecret = changeKeySettings('service', withKeys, { tokenEndpointAuthMethod: 'client_secret_basic' });
    const bound = { ...withKeys, requireDpop: true };
    expect(
      [
        [withKeys, toSecret],
        [defaultKeySettings, withKeys],
        [withKeys, withUri],
        [withUri, { ...withUri, jwksUri: `${uri}/2` }],
        [withKeys, bound],
      ].map(([before, after]) => endsAllTokens(before!, after!)),
    ).toEqual([true, true, true, true, true]);
    expect(endsAllTokens(bound, withKeys)).toBe(false);
  });
});
