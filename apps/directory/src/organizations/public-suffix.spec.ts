import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPublicSuffix } from './public-suffix.js';

describe('a public suffix', () => {
  test.each([
    'com',
    'localhost',
    'invalid',
    'co.uk',
    'uk.com',
    'github.io',
    'herokuapp.com',
    'azurewebsites.net',
    'foo.ck',
    'x.kawasaki.jp',
    'chuo.fukuoka.jp',
    'k12.ca.us',
    'pvt.k12.ma.us',
    's3.amazonaws.com',
    'xn--55qx5d.cn',
  ])('is %s', (domain) => expect(isPublicSuffix(domain)).toBe(true));
  test.each([
    'example.com',
    'example.co.uk',
    'acme.github.io',
    'www.ck',
    'city.kawasaki.jp',
    'id.acme.example',
    'acme.example',
    'a.localhost',
    'com.acme.example',
  ])('is not %s', (domain) => expect(isPublicSuffix(domain)).toBe(false));

  test('is no name one or two levels below a suffix without deeper rules', () => {
    const label = fc.stringMatching(/^[a-z]{12}$/);
    fc.assert(
      fc.property(label, label, fc.constantFrom('com', 'co.uk', 'github.io', 'jp', 'de'), (a, b, suffix) => {
        expect(isPublicSuffix(`${a}.${suffix}`)).toBe(false);
        expect(isPublicSuffix(`${b}.${a}.${suffix}`)).toBe(false);
      }),
    );
  });
});
