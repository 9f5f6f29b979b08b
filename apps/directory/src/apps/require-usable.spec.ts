import { describe, expect, it, test } from '@jest/globals';
import { appKinds } from '@holdfast/contracts';
import { requireUsable } from './require-usable.js';

const faults = (...pointers: string[]) =>
  expect.objectContaining({
    code: 'invalid_request',
    status: 422,
    errors: pointers.map((pointer) => expect.objectContaining({ pointer })),
  });

describe('an app that can never work is refused, with a pointer to each reason', () => {
  it.each(appKinds)('takes a %s app of which nothing special is said', (kind) =>
    expect(() => requireUsable(kind, { audience: 'customers', redirectUris: [], pkce: 'required' })).not.toThrow(),
  );

  test('a service app that would sign somebody in', () => {
    const all = {
      redirectUris: ['https://a.example/'],
      postLogoutRedirectUris: ['https://a.example/'],
      backchannelLogoutUri: 'https://a.example/',
      credentialType: 'customer',
      idTokenAlg: 'ES256',
    } as const;
    const given = {
      ...all,
      redirectUris: [...all.redirectUris],
      postLogoutRedirectUris: [...all.postLogoutRedirectUris],
    };
    expect(() => requireUsable('service', given)).toThrow(
      faults(
        '#/redirectUris',
        '#/postLogoutRedirectUris',
        '#/backchannelLogoutUri',
        '#/credentialType',
        '#/idTokenAlg',
      ),
    );
    expect(() => requireUsable('web', given)).not.toThrow();
    expect(() => requireUsable('service', { redirectUris: [], backchannelLogoutUri: null })).not.toThrow();
  });

  test('an app for people', () =>
    expect(() => requireUsable('web', { audience: 'people' })).toThrow(faults('#/audience')));

  test.each(['web', 'spa'] as const)('a scheme of its own in a %s app', (kind) => {
    expect(() =>
      requireUsable(kind, {
        redirectUris: ['https://a.example/', 'com.example.app:/in'],
        postLogoutRedirectUris: ['com.example.app:/out'],
      }),
    ).toThrow(faults('#/redirectUris/1', '#/postLogoutRedirectUris/0'));
    expect(() => requireUsable('native', { redirectUris: ['com.example.app:/in'] })).not.toThrow();
  });

  test.each(['spa', 'native', 'service'] as const)('optional PKCE of a %s app', (kind) => {
    expect(() => requireUsable(kind, { pkce: 'optional' })).toThrow(faults('#/pkce'));
    expect(() => requireUsable('web', { pkce: 'optional' })).not.toThrow();
  });
});
