import { expect, test } from '@jest/globals';
import { shortened } from './identifier.ts';

test.each([
  ['operator', 'operator'],
  ['019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03', '019aa5f2…8a7b03'],
  ['app_2VwT9Qm1xKc7LrZ4bNd8Ya', 'app_2VwT…bNd8Ya'],
])('%s is shown as %s', (id, shown) => expect(shortened(id)).toBe(shown));
