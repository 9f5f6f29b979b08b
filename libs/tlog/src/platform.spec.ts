import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as browser from './platform.browser.js';
import * as node from './platform.node.js';

/** As plain bytes, since Node.js returns Buffers. */
const plain = (value: unknown) => (value instanceof Uint8Array ? Uint8Array.from(value) : value);
const bytes = fc.uint8Array({ maxLength: 300 });

test('both platforms export the same names', () => {
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});

test.each(['sha256', 'sha256Base64url', 'copyOf', 'textOf', 'hexOf', 'base64Of', 'base64urlOf'] as const)(
  '%s returns the same on both platforms, also for a part of a buffer',
  (name) => {
    fc.assert(
      fc.property(bytes, fc.nat(20), (all, from) => {
        const part = all.subarray(from);
        expect(plain(browser[name](part))).toEqual(plain(node[name](part)));
      }),
    );
  },
);

test('text is decoded and encoded alike, with a byte order mark and lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(plain(browser.utf8Of(text))).toEqual(plain(node.utf8Of(text)));
    }),
  );
  const marked = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61);
  expect(browser.textOf(marked)).toBe(node.textOf(marked));
  expect(plain(browser.utf8Of('\ud800'))).toEqual(plain(node.utf8Of('\ud800')));
});

test('base64 is accepted in canonical form only, on both platforms', () => {
  const damaged = fc
    .tuple(bytes, fc.nat(400), fc.constantFrom('', '=', ' ', '\n', '-', '_', 'B', 'ä', '==='))
    .map(([all, at, put]) => {
      const text = node.base64Of(all);
      return text.slice(0, at) + put + text.slice(at + 1);
    });
  fc.assert(
    fc.property(damaged, (text) => {
      expect(plain(browser.bytesOfBase64(text))).toEqual(plain(node.bytesOfBase64(text)));
    }),
    { numRuns: 2000 },
  );
  for (const text of ['AB==', 'AA', 'A A=', '_-8=', 'AA==\n'])
    expect([browser.bytesOfBase64(text), node.bytesOfBase64(text)]).toEqual([undefined, undefined]);
});

test('a stream has the hash of what came so far', () => {
  for (const { Sha256, sha256 } of [browser, node]) {
    const stream = new Sha256();
    stream.update(Uint8Array.of(1));
    expect(plain(stream.digest())).toEqual(plain(sha256(Uint8Array.of(1))));
    stream.update(Uint8Array.of(2));
    expect(plain(stream.digest())).toEqual(plain(sha256(Uint8Array.of(1, 2))));
  }
});

test('both platforms verify a signature, and refuse a changed one, another text and another length', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const message = Buffer.from('text');
  const signature = sign(null, message, privateKey);
  for (const { verifySignature } of [browser, node]) {
    expect(verifySignature(key, message, signature)).toBe(true);
    expect(verifySignature(key, Buffer.from('other'), signature)).toBe(false);
    expect(verifySignature(key, message, signature.subarray(1))).toBe(false);
    for (const at of [0, 31, 32, 63]) {
      const changed = Buffer.from(signature);
      changed[at]! ^= 1;
      expect(verifySignature(key, message, changed)).toBe(false);
    }
  }
});

test('bytes are equal only with the same length and content, and parts are joined in order', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(browser.equalBytes(a, b)).toBe(node.equalBytes(a, b));
      expect(browser.equalBytes(a, a.slice())).toBe(true);
      expect(plain(browser.concat([a, b]))).toEqual(plain(node.concat([a, b])));
    }),
  );
  expect(plain(browser.allocate(3))).toEqual(plain(node.allocate(3)));
});
