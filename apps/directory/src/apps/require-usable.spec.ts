import { describe, expect, it } from '@jest/globals';
import { appKinds } from '@holdfast/contracts';
import { requireUsable } from './require-usable.js';

const validationIssues = (...pointers: string[]) =>
  expect.objectContaining({
    code: 'invalid_request',
    status: 422,
    errors: pointers.map((pointer) => expect.objectContaining({ pointer })),
  });

describe('requireUsable', () => {
  it.each(appKinds)('accepts a %s app with default settings', (kind) =>
    expect(() => requireUsable(kind, { audience: 'customers', redirectUris: [], pkce: 'required' })).not.toThrow(),
  );

  it('refuses each setting of sign-ins in a service app, with a pointer to it', () => {
    const all = {
      redirectUris: ['https://a.example/'],
      postLogoutRedirectUris: ['https://a.example/'],
      backchannelLogoutUri: 'https://a.example/',
      credentialType: 'customer',
      idTokenAlg: 'ES256',
      accentColor: '#0b57a4',
      logo: 'iVBORw0KGgo=',
      startUri: 'https://a.example/',
    } as const;
    const settings = {
      ...all,
      redirectUris: [...all.redirectUris],
      postLogoutRedirectUris: [...all.postLogoutRedirectUris],
    };
    expect(() => requireUsable('service', settings)).toThrow(
      validationIssues(
        '#/redirectUris',
        '#/postLogoutRedirectUris',
        '#/backchannelLogoutUri',
        '#/credentialType',
        '#/idTokenAlg',
        '#/accentColor',
        '#/logo',
        '#/startUri',
      ),
    );
    expect(() => requireUsable('web', settings)).not.toThrow();
    expect(() => requireUsable('service', { redirectUris: [], backchannelLogoutUri: null, logo: null })).not.toThrow();
  });

  it('refuses sign-ins on devices of every app that is not native', () => {
    for (const kind of appKinds.filter((each) => each !== 'native'))
      expect(() => requireUsable(kind, { deviceAuthorization: true })).toThrow(
        validationIssues('#/deviceAuthorization'),
      );
    expect(() => requireUsable('native', { deviceAuthorization: true })).not.toThrow();
    expect(() => requireUsable('web', { deviceAuthorization: false })).not.toThrow();
  });

  it('refuses a credential type of an app for people', () => {
    expect(() => requireUsable('web', { audience: 'people', credentialType: 'customer' })).toThrow(
      validationIssues('#/credentialType'),
    );
    expect(() => requireUsable('web', { audience: 'people' })).not.toThrow();
  });

  it.each(['web', 'spa'] as const)('refuses a private-use URI scheme in a %s app', (kind) => {
    expect(() =>
      requireUsable(kind, {
        redirectUris: ['https://a.example/', 'com.example.app:/in'],
        postLogoutRedirectUris: ['com.example.app:/out'],
      }),
    ).toThrow(validationIssues('#/redirectUris/1', '#/postLogoutRedirectUris/0'));
    expect(() => requireUsable('native', { redirectUris: ['com.example.app:/in'] })).not.toThrow();
  });

  it.each(['spa', 'native', 'service'] as const)('refuses optional PKCE in a %s app', (kind) => {
    for (const pkce of ['optional', 'optional_without_nonce'] as const) {
      expect(() => requireUsable(kind, { pkce })).toThrow(validationIssues('#/pkce'));
      expect(() => requireUsable('web', { pkce })).not.toThrow();
    }
  });
});
