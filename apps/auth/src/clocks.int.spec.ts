import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { addApp, AuthStack, basicAuthorization, type Replica } from './auth-stack.fixture.js';

const elevenMinutesMs = 660_000;
let stack: AuthStack;
let replica: Replica;
let aheadMs = 0;

beforeAll(async () => {
  stack = await AuthStack.start();
  replica = await stack.startReplica({ machineTimeMs: () => Date.now() + aheadMs });
});
afterEach(() => {
  aheadMs = 0;
});
afterAll(async () => {
  await replica?.stop();
  await stack?.stop();
});

const readyStatus = async (address: string) => (await fetch(`${address}/readyz`)).status;

test.each([elevenMinutesMs, -elevenMinutesMs])(
  'a replica whose clock is %s ms ahead is not ready and issues no token until its clock is right',
  async (offsetMs) => {
    const app = addApp({ scopes: ['offers:write'] });
    const token = () =>
      fetch(`${replica.base}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: basicAuthorization(app) },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'offers:write' }),
      });
    await eventually(async () => expect((await token()).status).toBe(200));
    aheadMs = offsetMs;
    await eventually(async () => {
      const response = await token();
      expect([response.status, response.headers.get('x-holdfast-closing'), await response.json()]).toEqual([
        503,
        '1',
        { error: 'temporarily_unavailable', error_description: 'the clock of this replica is wrong' },
      ]);
      expect(await readyStatus(replica.base)).toBe(503);
      // The other services' clocks are known after some seconds.
      const detail = await (await fetch(`http://127.0.0.1:${replica.opsPort}/readyz`)).text();
      expect(detail.split('\n')).toEqual([
        'not ready',
        expect.stringMatching(/^the clock of this machine is 660\.0 s (ahead of|behind) PostgreSQL's$/),
        expect.stringMatching(
          /^the clock of this machine is 6\d\d\.\d s (ahead of|behind) that of most other services$/,
        ),
        '',
      ]);
    });
    expect(await readyStatus(stack.base)).toBe(200);
    aheadMs = 0;
    await eventually(async () => expect((await token()).status).toBe(200));
    expect(await readyStatus(replica.base)).toBe(200);
  },
);
