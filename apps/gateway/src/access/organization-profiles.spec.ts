import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { OrganizationProfiles } from './organization-profiles.js';

let queried: string[];
let error: AppError | undefined;
let profiles: OrganizationProfiles;

beforeEach(() => {
  [queried, error] = [[], undefined];
  profiles = new OrganizationProfiles({
    request: (_contract: unknown, { shortId }: { shortId: string }) => {
      queried.push(shortId);
      return error ? Promise.reject(error) : Promise.resolve({ name: 'Acme' });
    },
  } as unknown as Bus);
});

describe('OrganizationProfiles', () => {
  it('queries the profile of an organization once while it is cached', async () => {
    expect([await profiles.find('acme'), await profiles.find('acme')]).toEqual([{ name: 'Acme' }, { name: 'Acme' }]);
    expect(queried).toEqual(['acme']);
  });

  it('does not cache unknown organizations', async () => {
    error = new AppError('unknown_organization');
    expect([await profiles.find('nobody'), await profiles.find('nobody')]).toEqual([undefined, undefined]);
    expect(queried).toEqual(['nobody', 'nobody']);
  });

  it.each(['', 'A', '../acme', 'a'.repeat(200)])('does not query %j, which cannot be a short id', async (shortId) => {
    expect(await profiles.find(shortId)).toBeUndefined();
    expect(queried).toEqual([]);
  });

  it('rejects when directory is unavailable', async () => {
    error = new AppError('unavailable');
    await expect(profiles.find('acme')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('for a page about an error knows what it last found, and asks only when it may', async () => {
    expect(await profiles.forErrorPage('acme', false)).toBeUndefined();
    expect(queried).toEqual([]);
    expect(await profiles.forErrorPage('acme', true)).toEqual({ name: 'Acme' });
    expect(await profiles.forErrorPage('acme', false)).toEqual({ name: 'Acme' });
    expect(queried).toEqual(['acme']);
    error = new AppError('unavailable');
    // Until the cached profile has expired.
    await eventually(() => expect(profiles.find('acme')).rejects.toThrow());
    expect(await profiles.forErrorPage('acme', true)).toEqual({ name: 'Acme' });
    expect(await profiles.forErrorPage('globex', true)).toBeUndefined();
  });

  it('for a page about an error forgets an organization that exists no more', async () => {
    await profiles.find('acme');
    error = new AppError('unknown_organization');
    // Until the cached profile has expired.
    await eventually(async () => expect(await profiles.find('acme')).toBeUndefined());
    expect(await profiles.forErrorPage('acme', true)).toBeUndefined();
  });
});
