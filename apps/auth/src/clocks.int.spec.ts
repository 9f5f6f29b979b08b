import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { newApp, startAuthStack, type AuthStack } from './auth-stack.fixture.js';

const elevenMinutesMs = 660_000;
let stack: AuthStack;
let replica: Awaited<ReturnType<AuthStack['another']>>;
let aheadMs = 0;

beforeAll(async () => {
  stack = await startAuthStack();
  replica = await stack.another(stack.base, {}, () => Date.now() + aheadMs);
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
  'a replica that is %s ms ahead makes no token, leaves requests to others, and goes on when its clock is right',
  async (offset) => {
    const { clientId, secret } = await newApp(stack, { scopes: ['offers:write'] });
    const token = () =>
      fetch(`${replica.base}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'offers:write' }),
      });
    await eventually(async () => expect((await token()).status).toBe(200), 20_000);
    aheadMs = offset;
    await eventually(async () => {
      const refused = await token();
      expect([refused.status, refused.headers.get('x-holdfast-closing'), await refused.json()]).toEqual([
        503,
        '1',
        { error: 'temporarily_unavailable', error_description: 'the clock of this replica is wrong' },
      ]);
      expect(await readyStatus(replica.base)).toBe(503);
      // Ahead of the others only once they have been heard for some seconds.
      const detail = await (await fetch(`http://127.0.0.1:${replica.opsPort}/readyz`)).text();
      expect(detail).toMatch(
        /^not ready\nthe clock of this machine is 660\.0 s (ahead of|behind) PostgreSQL's\nthe clock of this machine is 6\d\d\.\d s (ahead of|behind) that of most other services\n$/,
      );
    }, 20_000);
    expect(await readyStatus(stack.base)).toBe(200);
    aheadMs = 0;
    await eventually(async () => expect((await token()).status).toBe(200), 20_000);
    expect(await readyStatus(replica.base)).toBe(200);
  },
);
