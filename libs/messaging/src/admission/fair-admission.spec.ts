import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RequestContext } from '@holdfast/contracts';
import type { AppError } from '@holdfast/platform';
import { FairAdmission, type FairAdmissionLimits } from './fair-admission.js';

const limits: FairAdmissionLimits = {
  max: 4,
  maxOfOrganization: 3,
  maxWaitingOfOrganization: 2,
  maxWaiting: 5,
  maxWaitMs: 500,
};

/** Sends requests whose work ends when the test says so. */
function requests(given: Partial<FairAdmissionLimits> = {}) {
  const admission = new FairAdmission('audit', { ...limits, ...given });
  const running: { org: string; end: () => void }[] = [];
  const send = (org: string, type = 'app'): Promise<string> =>
    admission
      .run({ org, actor: { type, id: 'a' } } as RequestContext, () =>
        new Promise<void>((end) => running.push({ org, end })).then(() => 'done'),
      )
      .catch(({ code }: AppError) => code);
  const flush = () => jest.advanceTimersByTimeAsync(0);
  const endOne = async (org: string) => {
    running
      .splice(
        running.findIndex((each) => each.org === org),
        1,
      )[0]!
      .end();
    await flush();
  };
  return { send, flush, endOne, runningOrgs: () => running.map(({ org }) => org) };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('requests that are divided by organization', () => {
  it('of one organization leave a place for another one', async () => {
    const { send, flush, runningOrgs } = requests();
    for (let i = 0; i < 5; i += 1) void send('acme');
    await flush();
    expect(runningOrgs()).toEqual(['acme', 'acme', 'acme']);
    void send('globex');
    await flush();
    expect(runningOrgs()).toEqual(['acme', 'acme', 'acme', 'globex']);
  });

  it('begin with the organization that has the fewest, when a place gets free', async () => {
    const { send, flush, endOne, runningOrgs } = requests();
    for (const org of ['acme', 'acme', 'acme', 'globex', 'acme', 'globex', 'initech']) void send(org);
    await flush();
    await endOne('acme');
    expect(runningOrgs()).toEqual(['acme', 'acme', 'globex', 'initech']);
    // Of two with as few, the one that has begun one less recently.
    await endOne('acme');
    expect(runningOrgs()).toEqual(['acme', 'globex', 'initech', 'acme']);
    await endOne('acme');
    expect(runningOrgs()).toEqual(['globex', 'initech', 'acme', 'globex']);
  });

  it('of many busy organizations take turns', async () => {
    const { send, flush, endOne, runningOrgs } = requests({ max: 1, maxOfOrganization: 1, maxWaiting: 100 });
    const orgs = ['a', 'b', 'c', 'd'];
    for (const org of [...orgs, ...orgs]) void send(org);
    await flush();
    const served: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      served.push(runningOrgs()[0]!);
      await endOne(runningOrgs()[0]!);
    }
    expect(served.slice(0, 4).sort()).toEqual(orgs);
    expect(served.slice(4).sort()).toEqual(orgs);
  });

  it('are refused with 429 beyond those that may wait, and after half a second, and others are not', async () => {
    const { send, flush, endOne } = requests();
    const sent = Array.from({ length: 6 }, () => send('acme'));
    await flush();
    expect(await sent[5]).toBe('rate_limited');
    await jest.advanceTimersByTimeAsync(limits.maxWaitMs);
    expect(await Promise.all(sent.slice(3, 5))).toEqual(['rate_limited', 'rate_limited']);
    const other = send('globex');
    await flush();
    await endOne('globex');
    expect(await other).toBe('done');
    for (let i = 0; i < 3; i += 1) await endOne('acme');
    expect(await Promise.all(sent.slice(0, 3))).toEqual(['done', 'done', 'done']);
    const later = send('acme');
    await flush();
    await endOne('acme');
    expect(await later).toBe('done');
  });

  it('are refused with 503 when those of all organizations take the places', async () => {
    const { send, flush } = requests({ maxOfOrganization: 1, max: 2 });
    for (const org of ['a', 'b']) void send(org);
    const waiting = ['c', 'd', 'e', 'f', 'g'].map((org) => send(org));
    const refused = send('h');
    await flush();
    expect(await refused).toBe('unavailable');
    await jest.advanceTimersByTimeAsync(limits.maxWaitMs);
    expect(await Promise.all(waiting)).toEqual(Array(5).fill('unavailable'));
  });

  it('of the operator do not count for the organization that they are about', async () => {
    const { send, flush, runningOrgs } = requests();
    for (let i = 0; i < 3; i += 1) void send('acme');
    void send('acme', 'operator');
    await flush();
    expect(runningOrgs()).toHaveLength(4);
  });

  it('give their place back when they fail', async () => {
    const admission = new FairAdmission('audit', { ...limits, max: 1, maxOfOrganization: 1 });
    const context = { org: 'acme', actor: { type: 'app', id: 'a' } } as RequestContext;
    for (let i = 0; i < 3; i += 1)
      await expect(admission.run(context, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await admission.run(context, () => Promise.resolve('done'))).toBe('done');
  });
});
