import { expect, it } from '@jest/globals';
import { connectionsOf } from './connections.js';

it.each([
  [12, 3, { max: 7, maxOfOrganization: 5 }],
  [40, 3, { max: 35, maxOfOrganization: 33 }],
  [4, 1, { max: 2, maxOfOrganization: 1 }],
  [1, 0, { max: 2, maxOfOrganization: 1 }],
])('of a pool of %i connections, %i are for appends and others for reads', (pool, reserved, fairAdmission) => {
  expect(connectionsOf(pool)).toEqual({ reserved, fairAdmission });
});
