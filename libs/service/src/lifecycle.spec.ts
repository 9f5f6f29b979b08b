import { beforeEach, describe, expect, it } from '@jest/globals';
import { Readiness } from './lifecycle.js';

let postgresIsUp: boolean;
let reason: string | undefined;
let stateIsLoaded: boolean;
let readiness: Readiness;

beforeEach(() => {
  postgresIsUp = true;
  reason = undefined;
  stateIsLoaded = true;
  readiness = new Readiness();
  readiness.addCheck(() => stateIsLoaded);
  readiness.addDependency('PostgreSQL', () => (postgresIsUp ? Promise.resolve(reason) : Promise.reject(new Error())));
  readiness.addProblems(() => ['a problem']);
  readiness.addNotes(() => ['a note']);
});

describe('Readiness', () => {
  it('is not ready while a dependency is unavailable, before it was ready for the first time', async () => {
    postgresIsUp = false;
    expect(await readiness.report()).toEqual({
      ready: false,
      healthy: false,
      remarks: ['PostgreSQL does not respond', 'a problem', 'a note'],
      problems: ['PostgreSQL does not respond', 'a problem'],
    });
  });

  it('stays ready and names the dependency when one becomes unavailable later', async () => {
    expect(await readiness.report()).toEqual({
      ready: true,
      healthy: true,
      remarks: ['a problem', 'a note'],
      problems: ['a problem'],
    });
    postgresIsUp = false;
    expect(await readiness.report()).toEqual({
      ready: true,
      healthy: false,
      remarks: ['PostgreSQL does not respond', 'a problem', 'a note'],
      problems: ['PostgreSQL does not respond', 'a problem'],
    });
  });

  it('says why a dependency that responds cannot be used', async () => {
    reason = 'the password is refused';
    expect(await readiness.report()).toMatchObject({
      healthy: false,
      problems: ['PostgreSQL cannot be used: the password is refused', 'a problem'],
    });
  });

  it('counts a dependency that does not answer in time as unavailable', async () => {
    readiness.addDependency('NATS', () => new Promise(() => undefined));
    expect(await readiness.report()).toMatchObject({
      healthy: false,
      remarks: ['NATS does not respond', 'a problem', 'a note'],
    });
  });

  it('is not ready while a condition of the replica alone does not hold', async () => {
    await readiness.report();
    stateIsLoaded = false;
    expect(await readiness.report()).toMatchObject({ ready: false, healthy: false });
  });

  it('is not ready from the moment it stops', async () => {
    await readiness.report();
    readiness.stop();
    expect(await readiness.report()).toMatchObject({ ready: false, healthy: false });
  });
});
