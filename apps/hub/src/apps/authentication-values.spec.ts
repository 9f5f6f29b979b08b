import { expect, test } from '@jest/globals';
import type { App } from './app-queries.ts';
import { authenticationChanges, authenticationOf } from './authentication-values.ts';

const app = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [{ kty: 'OKP', kid: 'a' }] } } as App;

test('without an edit nothing is sent', () => {
  expect(authenticationChanges(app, authenticationOf(app))).toEqual({});
  expect(authenticationChanges({} as App, authenticationOf({} as App))).toEqual({});
});

test.each([
  [{ requireDpop: 'yes' }, { requireDpop: true }],
  [{ accessTokenFormat: 'jwt' }, { accessTokenFormat: 'jwt' }],
  [{ tokenEndpointAuthMethod: 'client_secret_basic' }, { tokenEndpointAuthMethod: 'client_secret_basic' }],
  [
    { tokenEndpointAuthMethod: 'client_secret_basic', jwks: 'no JSON' },
    { tokenEndpointAuthMethod: 'client_secret_basic' },
  ],
  [{ jwks: '{"keys":[]}' }, { jwks: { keys: [] } }],
  [{ jwks: '', jwksUri: ' https://a.example/jwks ' }, { jwksUri: 'https://a.example/jwks' }],
])('%j is sent as %j', (edited, body) => {
  expect(authenticationChanges(app, { ...authenticationOf(app), ...edited })).toEqual(body);
});

test('keys that are no JSON are an error', () => {
  expect(() => authenticationChanges(app, { ...authenticationOf(app), jwks: '{' })).toThrow(SyntaxError);
});
