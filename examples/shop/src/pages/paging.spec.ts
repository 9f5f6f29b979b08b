import { expect, test } from '@jest/globals';
import { apiQuery, linksOf, viewOf } from './paging.ts';

test('the page of the address is asked for, with its filter', () => {
  expect(apiQuery(viewOf(new URLSearchParams('claimed=true&page=a%2Bb%3D'))).toString()).toBe(
    'limit=10&claimed=true&next_page_token=a%2Bb%3D',
  );
  expect(apiQuery(viewOf(new URLSearchParams('claimed=maybe'))).toString()).toBe('limit=10');
});

test('older keeps the filter and takes the token as it is; newest drops the place', () => {
  expect(linksOf('/acme/staff', { claimed: 'false', page: 'one' }, 'tw+o')).toEqual({
    newest: '/acme/staff?claimed=false',
    older: '/acme/staff?claimed=false&page=tw%2Bo',
  });
  expect(linksOf('/acme/staff', {}, undefined)).toEqual({});
});
