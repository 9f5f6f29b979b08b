import { expect, test } from '@jest/globals';
import { sha256 } from '@holdfast/platform';
import { belongsTo, type Redemption, type StoredCode } from './code-redemption.js';

const redemption: Redemption = {
  clientId: 'hub_acme',
  redirectUri: 'https://id.example/hub/acme/callback',
  nonce: 'n-1',
  codeVerifier: 'v-1',
};
const code: StoredCode = {
  accountId: 'p',
  clientId: 'hub_acme',
  redirectUri: 'https://id.example/hub/acme/callback',
  nonce: 'n-1',
  codeChallenge: sha256('v-1').toString('base64url'),
  codeChallengeMethod: 'S256',
};

test('a code belongs to the sign-in with its verifier and nonce', () => {
  expect(belongsTo(code, redemption)).toBe(true);
});

test.each<[string, Partial<StoredCode>]>([
  ['another app', { clientId: 'app_1' }],
  ['the hub of another organization', { clientId: 'hub_globex' }],
  ['another redirect URI', { redirectUri: 'https://id.example/hub/acme/callback/' }],
  ['another nonce', { nonce: 'n-2' }],
  ['no nonce', { nonce: undefined }],
  ['another challenge', { codeChallenge: sha256('v-2').toString('base64url') }],
  ['no challenge', { codeChallenge: undefined }],
  ['the plain method', { codeChallenge: 'v-1', codeChallengeMethod: 'plain' }],
])('a code of %s does not', (_, changes) => {
  expect(belongsTo({ ...code, ...changes }, redemption)).toBe(false);
});
