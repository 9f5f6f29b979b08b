import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coversHost, rpId } from '@holdfast/contracts';
import { changedRpId, endedMove, relyingPartyIn, type RpIds } from './rp-ids.js';
import { listsOrigin, unusableRpId } from './usable-rp-id.js';

const none: RpIds = { rpId: null, moving: false, earlierRpId: null };
const invalidState = expect.objectContaining({ code: 'invalid_state' });

describe('an RP ID', () => {
  test.each(['example.com', 'id.acme.example', 'localhost', 'xn--bcher-kva.example', 'a.b-c.example', '1.example'])(
    'may be %s',
    (id) => expect(rpId.safeParse(id).success).toBe(true),
  );
  test.each([
    '',
    'Example.com',
    'https://example.com',
    'example.com:8443',
    'example.com/',
    '.example.com',
    'example.com.',
    'a..b',
    '-a.example',
    'a-.example',
    'bücher.example',
    '*.example.com',
    '127.0.0.1',
    '1',
    '0x7f.1',
    '1.0x7f',
    '[::1]',
    'user@example.com',
    'a b',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ])('cannot be %j', (id) => expect(rpId.safeParse(id).success).toBe(false));
  test('is any host that a URL leaves unchanged and that is no IP address', () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        const { hostname } = new URL(`https://${domain}/`);
        fc.pre(hostname === domain);
        expect(rpId.safeParse(domain).success).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const accepted = rpId.safeParse(text).success;
        expect(accepted ? new URL(`https://${text}/`).hostname : text).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), (address) =>
        expect(rpId.safeParse(address.toLowerCase()).success).toBe(false),
      ),
    );
  });

  test('covers its host, whatever lies below it, and nothing else', () => {
    fc.assert(
      fc.property(fc.domain(), fc.domain(), (a, b) => {
        expect(coversHost(a, a)).toBe(true);
        expect(coversHost(a, `${b}.${a}`)).toBe(true);
        expect(coversHost(`x${a}`, a)).toBe(false);
        expect(coversHost(a, `x${a}`)).toBe(false);
      }),
    );
  });

  test('that is a public suffix is refused, unless it is the host itself', () => {
    expect(unusableRpId('co.uk', 'id.example.co.uk')).toContain('public suffix');
    expect(unusableRpId('com', 'id.example.com')).toContain('public suffix');
    expect(unusableRpId('github.io', 'acme.github.io')).toContain('public suffix');
    expect(unusableRpId('localhost', 'localhost')).toBeUndefined();
    expect(unusableRpId('example.co.uk', 'id.example.co.uk')).toBeUndefined();
    expect(unusableRpId('acme.example', 'id.holdfast.example')).toBeUndefined();
  });

  test.each(['127.0.0.1', '[::1]'])('cannot be used while the pages are at %s', (host) =>
    expect(unusableRpId('example.com', host)).toContain('IP address'),
  );
});

describe('a document of related origins', () => {
  const origin = 'https://id.example:8443';
  test.each([`{"origins":["${origin}"]}`, `{"origins":["https://a.example","${origin}/"],"more":1}`])(
    'lists the origin: %s',
    (text) => expect(listsOrigin(text, origin)).toBe(true),
  );
  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"origins":"https://id.example:8443"}',
    '{"origins":["https://id.example"]}',
    '{"origins":["http://id.example:8443"]}',
    '{"origins":["https://x.id.example:8443"]}',
    '{"origins":[1]}',
  ])('does not list the origin: %j', (text) => expect(listsOrigin(text, origin)).toBe(false));
  test('is read without an error, whatever it contains', () =>
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => expect(listsOrigin(text, origin)).toBe(false))));
});

describe('a change of the RP ID', () => {
  test('keeps the RP ID before as the earlier one', () => {
    const moved = changedRpId(none, 'acme.example', true);
    expect(relyingPartyIn(moved)).toEqual({ relyingParty: { rpId: 'acme.example', earlier: {} } });
    expect(relyingPartyIn(endedMove(moved))).toEqual({ relyingParty: { rpId: 'acme.example' } });
    expect(relyingPartyIn(none)).toEqual({});
  });
  test('keeps no earlier RP ID when no customer has to move', () =>
    expect(changedRpId(none, 'acme.example', false)).toEqual({
      rpId: 'acme.example',
      moving: false,
      earlierRpId: null,
    }));
  test('back to the earlier RP ID is the same move in the other direction', () => {
    const back = changedRpId(changedRpId(none, 'acme.example', true), null, true);
    expect(relyingPartyIn(back)).toEqual({ relyingParty: { earlier: { rpId: 'acme.example' } } });
  });
  test('is refused to the same RP ID and to a third one, as is the end of a move that does not exist', () => {
    const moved = changedRpId(none, 'acme.example', true);
    expect(() => changedRpId(moved, 'acme.example', true)).toThrow(invalidState);
    expect(() => changedRpId(none, null, true)).toThrow(invalidState);
    expect(() => changedRpId(moved, 'other.example', true)).toThrow(invalidState);
    expect(() => endedMove(none)).toThrow(invalidState);
  });
});
