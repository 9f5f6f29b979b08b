import { expect, test } from '@jest/globals';
import { changesOf, valuesOf } from './organization-changes.ts';

const startUrl = 'https://acme.example/';
const organization = { shortId: 'acme', name: 'Acme', startUrl, accentColor: '#0b57a4', version: 3 };

test('an unchanged form changes nothing', () => {
  expect(changesOf(organization, valuesOf(organization))).toEqual({});
});

test('a form changes what differs, without the space around it, and removes what is empty', () => {
  const values = { name: ' Acme Blue ', startUrl: '', helpUrl: ' https://acme.example/help ', accentColor: '#0b57a4' };
  expect(changesOf(organization, values)).toEqual({
    name: 'Acme Blue',
    startUrl: null,
    helpUrl: 'https://acme.example/help',
  });
});
