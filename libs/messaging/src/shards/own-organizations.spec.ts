import { expect, it } from '@jest/globals';
import type { FenceLevel } from '@holdfast/contracts';
import { FencedOrganizations } from './fenced-organizations.js';
import { MisdirectedError, MovingError } from './misdirected.js';
import { OrganizationShards } from './organization-shards.js';
import { OwnOrganizations } from './own-organizations.js';

function own(refuses: FenceLevel): OwnOrganizations {
  const shards = new OrganizationShards((shortIds) => Promise.resolve(new Map(shortIds.map((id) => [id, 'main']))));
  return new OwnOrganizations(
    'main',
    shards,
    new FencedOrganizations(() => Promise.resolve([{ org: 'acme', refuses }])),
  );
}

it.each([
  ['requests', MovingError, undefined],
  ['everything', MovingError, MovingError],
  ['deleted', MisdirectedError, MisdirectedError],
] as const)('an organization with the fence %s is refused, and others are not', async (level, ofRequests, ofEvents) => {
  const organizations = own(level);
  await expect(organizations.require(['globex', 'acme'])).rejects.toThrow(ofRequests);
  const events = organizations.require(['acme'], 'events');
  if (ofEvents) await expect(events).rejects.toThrow(ofEvents);
  else await expect(events).resolves.toBeUndefined();
  await expect(organizations.require(['globex'])).resolves.toBeUndefined();
});

it('late events of a deleted organization are left out, and those of a moving one are not', async () => {
  const events = [{ org: 'acme' }, { org: 'globex' }, { org: '' }];
  expect(await own('deleted').ofExisting(events)).toEqual([{ org: 'globex' }, { org: '' }]);
  expect(await own('everything').ofExisting(events)).toEqual(events);
});
