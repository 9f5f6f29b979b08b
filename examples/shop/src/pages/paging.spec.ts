import { expect, test } from '@jest/globals';
import { apiQuery, linksOf, listViewOf } from './paging.ts';

test('apiQuery contains the page and the filter of the address, and no unknown filter', () => {
  expect(apiQuery(listViewOf({ claimed: 'true', page: 'a+b=' })).toString()).toBe(
    'limit=10&claimed=true&next_page_token=a%2Bb%3D',
  );
  expect(apiQuery(listViewOf({ claimed: 'maybe' })).toString()).toBe('limit=10');
});

test('linksOf keeps the filter, passes the token on unchanged, and drops it in the link to the newest', () => {
  expect(linksOf('/acme/staff', { claimed: 'false', page: 'one' }, 'tw+o')).toEqual({
    newest: '/acme/staff?claimed=false',
    older: '/acme/staff?claimed=false&page=tw%2Bo',
  });
  expect(linksOf('/acme/staff', {}, undefined)).toEqual({});
});
