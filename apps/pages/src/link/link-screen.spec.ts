import { describe, expect, test } from '@jest/globals';
import { safeAddress } from '../browser/address.ts';
import { en as texts } from '../texts/en.ts';
import { dateAndTime, linkScreen, type Environment } from './link-screen.ts';
import type { FailureReason, LinkState, LinkView } from './link-state.ts';

const environment: Environment = {
  timeZone: 'Europe/Berlin',
  address: (text) => safeAddress(text, 'https://id.example/o/acme/claim'),
};
const link: LinkView = {
  organization: { name: 'Acme' },
  accountType: 'Customer account',
  state: 'open',
  recovery: false,
  expiresAt: '2026-11-24T08:49:00.000Z',
};
const reasons: FailureReason[] = [
  'cancelled',
  'existing',
  'ceremony_expired',
  'passkey_invalid',
  'unsuitable',
  'insecure',
  'rate_limited',
  'unavailable',
];
const states: LinkState[] = [
  { name: 'loading' },
  ...(
    [
      'ready',
      'preparing',
      'working',
      'saving',
      'done',
      'used',
      'expired',
      'withdrawn',
      'unsupported',
      'insecure',
    ] as const
  ).map((name) => ({
    name,
    link,
  })),
  { name: 'unknown' },
  { name: 'missing' },
  ...reasons.map((why): LinkState => ({ name: 'stopped', why, link })),
];

test.each(['claim', 'invitation'] as const)(
  'every state of a link of %s has its own heading and says what to do',
  (words) => {
    const screens = states.map((state) => linkScreen(state, texts[words], environment));
    // Two states are `insecure`, with the same texts.
    expect(new Set(screens.map((screen) => screen.heading)).size).toBe(screens.length - 1);
    for (const { heading, body } of screens.slice(1))
      expect([heading, body.length > 0 && body.every(Boolean)]).toEqual([heading, true]);
  },
);

test('ready shows organization, account type, expiration and one button', () => {
  const screen = linkScreen({ name: 'ready', link }, texts.claim, environment);
  expect(screen).toMatchObject({
    organization: 'Acme',
    heading: texts.claim.ready,
    primary: { label: 'Create my passkey', action: 'create' },
  });
  expect(screen.facts).toEqual([
    { name: 'Account type', value: 'Customer account' },
    { name: 'This link works until', value: '24 November 2026 at 09:49 CET' },
  ]);
  expect(screen.body.join()).toContain('Acme');
});

test('a recovery tells that the earlier passkey stops working', () => {
  const { heading, body } = linkScreen({ name: 'ready', link: { ...link, recovery: true } }, texts.claim, environment);
  expect([heading, body.join()]).toEqual([texts.claim.recovery, expect.stringContaining('stops working')]);
});

describe('a finished claim', () => {
  test('has a link when the offer has a return URL', () => {
    expect(
      linkScreen({ name: 'done', link, returnUrl: 'https://shop.example/in' }, texts.claim, environment).primary,
    ).toEqual({
      label: 'Continue',
      href: 'https://shop.example/in',
    });
    expect(
      linkScreen({ name: 'used', link: { ...link, returnUrl: 'com.example.app:/in' } }, texts.claim, environment)
        .primary,
    ).toMatchObject({ href: 'com.example.app:/in' });
  });

  test('tells that the page can be closed when there is no return URL, or no safe one', () => {
    for (const returnUrl of [undefined, 'javascript:alert(1)', 'data:text/html,x']) {
      const { primary, body } = linkScreen(
        { name: 'done', link, ...(returnUrl && { returnUrl }) },
        texts.claim,
        environment,
      );
      expect([primary, body.at(-1)]).toEqual([undefined, texts.claim.doneClose]);
    }
  });
});

test('an expired or withdrawn link links to the app when its address is known', () => {
  for (const name of ['expired', 'withdrawn'] as const) {
    expect(
      linkScreen({ name, link: { ...link, returnUrl: 'https://shop.example/in' } }, texts.claim, environment).primary,
    ).toEqual({
      label: 'Back to Acme',
      href: 'https://shop.example/in',
    });
  }
});

test('used and expired links have no button; a failure has one', () => {
  for (const name of ['expired', 'withdrawn', 'used'] as const)
    expect(linkScreen({ name, link }, texts.claim, environment).primary).toBeUndefined();
  for (const why of reasons.filter((reason) => reason !== 'existing'))
    expect(linkScreen({ name: 'stopped', why, link }, texts.claim, environment).primary).toEqual({
      label: 'Try again',
      action: 'create',
    });
  expect(linkScreen({ name: 'stopped', why: 'existing', link }, texts.claim, environment)).toMatchObject({
    tone: 'good',
    secondary: { action: 'create' },
  });
});

test('a browser without passkeys shows the link to copy or scan, and inside another app says so', () => {
  const address = 'https://id.example/o/acme/claim#T';
  const unsupported = linkScreen({ name: 'unsupported', link }, texts.claim, { ...environment, link: address });
  expect(unsupported).toMatchObject({
    heading: 'This browser has no passkeys',
    share: { address, copy: 'Copy link' },
  });
  expect(unsupported.body.join()).toContain('has not been used');
  const inApp = { ...environment, isInApp: true, link: address };
  expect(linkScreen({ name: 'stopped', why: 'cancelled', link }, texts.claim, inApp)).toMatchObject({
    heading: 'Open this link in your browser',
    share: { address },
    other: { action: 'create' },
  });
});

test('a link that cannot be used leads to where customers begin and get help', () => {
  const organization = { name: 'Acme', startUrl: 'https://acme.example/', helpUrl: 'https://acme.example/help' };
  const addresses = [
    { label: 'Continue to Acme', href: 'https://acme.example/' },
    { label: 'Get help from Acme', href: 'https://acme.example/help' },
  ];
  for (const name of ['unknown', 'missing'] as const)
    expect(linkScreen({ name }, texts.claim, { ...environment, organization })).toMatchObject({
      organization: 'Acme',
      links: addresses,
    });
  for (const name of ['used', 'expired', 'withdrawn'] as const) {
    const ended = { ...link, organization };
    expect(linkScreen({ name, link: ended }, texts.claim, environment).links).toEqual(addresses);
    // The offer names an address of its own.
    const withAddress = { ...ended, returnUrl: 'https://shop.example/in' };
    expect(linkScreen({ name, link: withAddress }, texts.claim, environment).links).toEqual(addresses.slice(1));
  }
  const unsafe = { name: 'Acme', startUrl: 'javascript:alert(1)', helpUrl: 'data:text/html,x' };
  expect(linkScreen({ name: 'unknown' }, texts.claim, { ...environment, organization: unsafe }).links).toEqual([]);
});

test('only what is wrong looks like an alarm', () => {
  const toneOf = (state: LinkState) => linkScreen(state, texts.claim, environment).tone;
  for (const name of ['used', 'expired', 'withdrawn', 'unsupported'] as const)
    expect([name, toneOf({ name, link })]).toEqual([name, 'calm']);
  expect(toneOf({ name: 'missing' })).toBe('calm');
  expect(toneOf({ name: 'unknown' })).toBe('stop');
  expect(reasons.filter((why) => toneOf({ name: 'stopped', why, link }) === 'stop')).toEqual([
    'passkey_invalid',
    'unsuitable',
    'insecure',
  ]);
});

test('a rate limit shows how long to wait', () => {
  expect(linkScreen({ name: 'stopped', why: 'rate_limited', retryAfter: 20 }, texts.claim, environment).body).toEqual([
    'Please wait 20 seconds, then try again.',
  ]);
});

test('times are in the customer’s time zone, with its name', () => {
  expect(dateAndTime('2026-11-24T23:30:00.000Z', 'Asia/Tokyo')).toBe('25 November 2026 at 08:30 GMT+9');
});

test('an invitation shows no account type', () => {
  const { accountType: _, ...invitation } = link;
  const { facts, heading } = linkScreen({ name: 'ready', link: invitation }, texts.invitation, environment);
  expect([heading, facts?.map(({ name }) => name)]).toEqual(['Accept your invitation', ['This link works until']]);
});
