import { describe, expect, test } from '@jest/globals';
import { Failed, type FailureKind } from '../browser/failure.ts';
import { linkStep, needsOtherBrowser, type LinkEvent, type LinkState, type LinkView } from './link-state.ts';

const link: LinkView = {
  organization: { name: 'Acme' },
  accountType: 'Customer',
  state: 'open',
  recovery: false,
  expiresAt: '2026-11-24T08:49:00.000Z',
};
const failed = (kind: FailureKind, retryAfter?: number): LinkEvent => ({
  type: 'failed',
  failure: new Failed(kind, retryAfter),
});
const loadedAs = (
  state: LinkView['state'],
  webAuthnSupport: 'supported' | 'unsupported' | 'insecure' = 'supported',
): LinkEvent => ({
  type: 'loaded',
  link: { ...link, state },
  webAuthnSupport,
});
const loading: LinkState = { name: 'loading' };
const preparing: LinkState = { name: 'preparing', link };
const working: LinkState = { name: 'working', link };
const saving: LinkState = { name: 'saving', link };

describe('opening', () => {
  test('loads the link and changes nothing', () => {
    expect(linkStep(loading, { type: 'opened', token: 'T' })).toEqual([loading, 'load']);
    // Options are requested, so that the dialogue opens with the click.
    expect(linkStep(loading, loadedAs('open'))).toEqual([{ name: 'ready', link }, 'prepare']);
  });

  test('without a token sends no request', () => {
    expect(linkStep(loading, { type: 'opened', token: undefined })).toEqual([{ name: 'missing' }]);
    expect(linkStep(loading, { type: 'opened', token: '' })).toEqual([{ name: 'missing' }]);
  });

  test.each([
    ['used', 'used'],
    ['expired', 'expired'],
    ['withdrawn', 'withdrawn'],
  ] as const)('shows a link that is %s as such, also in a browser without passkeys', (state, name) => {
    expect(linkStep(loading, loadedAs(state))[0].name).toBe(name);
    expect(linkStep(loading, loadedAs(state, 'unsupported'))[0].name).toBe(name);
  });

  test.each(['unsupported', 'insecure'] as const)('shows that passkeys are %s', (webAuthnSupport) => {
    expect(linkStep(loading, loadedAs('open', webAuthnSupport))).toEqual([{ name: webAuthnSupport, link }]);
  });

  test('a link that this tab has used alarms nobody', () => {
    const used = { ...link, state: 'used', returnUrl: 'https://shop.example/' } as const;
    const event = { type: 'loaded', link: used, webAuthnSupport: 'supported' } as const;
    expect(linkStep(loading, { ...event, usedHere: true })).toEqual([
      { name: 'done', link: used, returnUrl: 'https://shop.example/' },
    ]);
    expect(linkStep(loading, { ...event, usedHere: false })).toEqual([{ name: 'used', link: used }]);
  });

  test('another link in the same tab loads that link in every state', () => {
    expect(linkStep({ name: 'done', link }, { type: 'opened', token: 'U' })).toEqual([loading, 'load']);
  });
});

describe('creating', () => {
  test('begins only with the customer’s click', () => {
    expect(linkStep({ name: 'ready', link }, { type: 'create' })).toEqual([preparing, 'create']);
    expect(linkStep(working, { type: 'created', returnUrl: 'https://shop.example/' })).toEqual([
      { name: 'done', link, returnUrl: 'https://shop.example/' },
    ]);
    expect(linkStep(working, { type: 'created' })).toEqual([{ name: 'done', link }]);
  });

  test('shows the dialogue only once it opens, and then that the passkey is being saved', () => {
    expect(linkStep(preparing, { type: 'dialogue' })).toEqual([working]);
    expect(linkStep(working, { type: 'saving' })).toEqual([saving]);
    // A passkey from an earlier attempt needs no dialogue.
    expect(linkStep(preparing, { type: 'saving' })).toEqual([saving]);
    expect(linkStep(saving, { type: 'created' })).toEqual([{ name: 'done', link }]);
  });

  test('can be stopped until the passkey is on the device', () => {
    for (const state of [preparing, working])
      expect(linkStep(state, { type: 'stop' })).toEqual([{ name: 'ready', link }, 'stop']);
    expect(linkStep(saving, { type: 'stop' })).toEqual([saving]);
  });

  test('ignores a second click and a late response', () => {
    expect(linkStep(working, { type: 'create' })).toEqual([working]);
    const done: LinkState = { name: 'done', link };
    for (const event of [{ type: 'create' }, { type: 'created' }, failed('link_used'), loadedAs('open')] as LinkEvent[])
      expect(linkStep(done, event)).toEqual([done]);
    expect(linkStep(loading, { type: 'created' })).toEqual([loading]);
  });

  test.each([
    ['link_used', 'used'],
    ['link_expired', 'expired'],
    ['link_withdrawn', 'withdrawn'],
    ['unknown_link', 'unknown'],
    ['not_found', 'unknown'],
  ] as const)('ends after %s, in the state %s', (kind, name) => {
    expect(linkStep(working, failed(kind))[0].name).toBe(name);
    expect(linkStep(loading, failed(kind))[0].name).toBe(name);
    expect(linkStep(linkStep(working, failed(kind))[0], { type: 'create' })[1]).toBeUndefined();
  });

  test.each([
    'cancelled',
    'existing',
    'ceremony_expired',
    'passkey_invalid',
    'unsuitable',
    'insecure',
    'rate_limited',
    'unavailable',
  ] as const)('can be repeated after %s', (kind) => {
    const [stopped] = linkStep(working, failed(kind, 7));
    expect(stopped).toEqual({ name: 'stopped', why: kind, link, retryAfter: 7 });
    expect(linkStep(stopped, { type: 'create' })).toEqual([preparing, 'create']);
  });

  test('loads the link again when it could not be loaded before', () => {
    const [stopped] = linkStep(loading, failed('unavailable'));
    expect(stopped).toEqual({ name: 'stopped', why: 'unavailable' });
    expect(linkStep(stopped, { type: 'create' })).toEqual([loading, 'load']);
  });
});

test('a link is opened elsewhere without passkeys, and inside another app when the browser refuses', () => {
  const stopped = (why: 'cancelled' | 'unavailable'): LinkState => ({ name: 'stopped', why, link });
  expect(needsOtherBrowser({ name: 'unsupported', link }, false)).toBe(true);
  expect(needsOtherBrowser(stopped('cancelled'), true)).toBe(true);
  expect(needsOtherBrowser(stopped('cancelled'), false)).toBe(false);
  expect(needsOtherBrowser(stopped('unavailable'), true)).toBe(false);
  expect(needsOtherBrowser({ name: 'ready', link }, true)).toBe(false);
});
