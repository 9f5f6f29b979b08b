import { expect, test } from '@jest/globals';
import { redirectAllowed } from './request-rules.js';

const registered = [
  'https://shop.example/callback',
  'http://127.0.0.1:9000/cb',
  'http://[::1]/cb',
  'http://localhost:9000/cb',
];

test.each(['web', 'spa', 'native', 'service'])('redirect URIs of a %s app are compared exactly', (kind) => {
  for (const uri of registered) expect(redirectAllowed(kind, registered, uri)).toBe(true);
  for (const uri of [
    'https://shop.example/callback/',
    'https://shop.example/callbac',
    'https://SHOP.example/callback',
    'https://shop.example:443/callback',
    '',
    undefined,
    registered,
  ])
    expect(redirectAllowed(kind, registered, uri)).toBe(false);
});

test('the port of a loopback literal may differ for native apps only', () => {
  for (const uri of ['http://127.0.0.1:1/cb', 'http://127.0.0.1/cb', 'http://[::1]:65535/cb']) {
    expect(redirectAllowed('native', registered, uri)).toBe(true);
    expect(redirectAllowed('web', registered, uri)).toBe(false);
    expect(redirectAllowed('spa', registered, uri)).toBe(false);
  }
  for (const uri of [
    'http://localhost:1/cb',
    'http://127.0.0.1:1/cb#',
    'http://127.0.0.1:1/CB',
    'http://127.0.0.1:65536/cb',
    'https://127.0.0.1:1/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://127.0.0.10/cb',
    'http://[::1%25lo]:1/cb',
  ])
    expect(redirectAllowed('native', registered, uri)).toBe(false);
});
