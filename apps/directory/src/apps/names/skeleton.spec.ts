import { describe, expect, test } from '@jest/globals';
import { isOfOneScript, skeletonOf } from './skeleton.js';

describe('names that people take for each other', () => {
  test.each([
    ['upper and lower case', 'Acme Shop', 'ACME shop'],
    ['spaces', 'Acme Shop', ' Acme  Shop'],
    ['punctuation', 'Acme Shop', 'Acme-Shop!'],
    ['full width', 'Acme Shop', 'Ａｃｍｅ　Ｓｈｏｐ'],
    ['accents', 'Acme Shop', 'Acmé Shóp'],
    ['a soft hyphen', 'Acme Shop', 'Ac\u00ADme Shop'],
    ['a joiner and a variation selector', 'Acme Shop', 'Ac\u200Dme Sh\uFE0Fop'],
    ['a Hangul filler', 'Acme Shop', 'Acme\u3164Shop'],
    ['one Cyrillic letter', 'Acme Shop', 'Acme Shоp'],
    ['only Cyrillic letters', 'Acme', 'Асме'],
    ['only Greek letters', 'TAXI', 'ΤΑΧΙ'],
    ['a zero', 'Acme Shop', 'Acme Sh0p'],
    ['a one and a capital I', 'Hello', 'HeIlo'],
    ['rn', 'Acme', 'Acrne'],
    ['mathematical letters', 'Acme', '𝐀𝐜𝐦𝐞'],
    ['a dotless i', 'Billing', 'Bıllıng'],
    ['another composition', 'Café', 'Cafe\u0301'],
  ])('differ in %s and have one skeleton', (_, one, other) => {
    expect(skeletonOf(other)).toBe(skeletonOf(one));
  });

  test.each([
    ['Acme Shop', 'Acme Shop 2'],
    ['Shop', 'Shops'],
    ['Склад', 'Оклад'],
    ['東京', '京東'],
  ])('%s and %s are two', (one, other) => expect(skeletonOf(one)).not.toBe(skeletonOf(other)));

  test('a name of punctuation only has none', () => expect(skeletonOf('· – !?')).toBe(''));
});

describe('the scripts of a name', () => {
  test.each([
    'Acme Shop 24/7',
    'Склад № 5',
    'Κατάστημα',
    'ショップ東京 Shop',
    '서울 shop',
    'متجر',
    'दुकान',
    '42',
    'Łódź',
  ])('are written together: %s', (name) => expect(isOfOneScript(name)).toBe(true));

  test.each(['Acme Shоp', 'Κatalog', 'Shop Склад', 'Աcme', 'Acme \u{10400}'])('are mixed: %s', (name) =>
    expect(isOfOneScript(name)).toBe(false),
  );
});
