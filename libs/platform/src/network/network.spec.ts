import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { networkOf, personalOrigin } from './network.js';

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::2', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s is %s', (address, network) => expect(networkOf(address)).toBe(network));

  it('is the same for all addresses of a /64', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }),
        fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }),
        fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }),
        (net, a, b) => {
          fc.pre(net.some((g) => g !== 0));
          const address = (host: number[]) => [...net, ...host].map((g) => g.toString(16)).join(':');
          expect(networkOf(address(a))).toBe(networkOf(address(b)));
        },
      ),
    );
  });
});

describe('address and user agent of a person', () => {
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('are canonical: %s is %s', (address, canonical) => {
    expect(personalOrigin(address, undefined)).toEqual({ address: canonical });
  });

  it('are cut to the length of a record, and well-formed when a surrogate pair is cut', () => {
    const { userAgent = '' } = personalOrigin(undefined, `${'a'.repeat(511)}\u{1f600} and more`);
    expect(userAgent).toBe(`${'a'.repeat(511)}\ufffd`);
    expect(personalOrigin('', '')).toEqual({});
  });
});
