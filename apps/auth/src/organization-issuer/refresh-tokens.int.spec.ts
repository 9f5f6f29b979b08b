import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { stubs } from '../auth-stack.fixture.js';
import { RelyingParty, startRelyingParties } from '../relying-party.fixture.js';

let { stack, shop, kiosk, spa } = {} as Awaited<ReturnType<typeof startRelyingParties>>;

beforeAll(async () => {
  ({ stack, shop, kiosk, spa } = await startRelyingParties());
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

describe('a refresh token', () => {
  test('is rotated; using an old one ends the family, the new ones with it', async () => {
    const { refreshToken, tokens } = await shop.signIn();
    const second = await shop.refresh(refreshToken);
    expect(second).toMatchObject({
      status: 200,
      json: { id_token: expect.any(String), refresh_token: expect.any(String) },
    });
    const third = await shop.refresh(second.json.refresh_token!);
    expect(third.status).toBe(200);
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(third.json.refresh_token!)).json.error).toBe('invalid_grant');
    for (const token of [tokens.access_token, third.json.access_token!])
      expect((await shop.userinfo(token)).status).toBe(401);
  });

  test('wanted by fifty at once, at two replicas, has one successor', async () => {
    const other = await stack.another();
    const { refreshToken } = await shop.signIn();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => shop.refresh(refreshToken, {}, i % 2 ? other.base : stack.base)),
    );
    expect(new Set(all.map(({ status, json }) => [status, json.refresh_token].join()))).toEqual(
      new Set([`200,${all[0]!.json.refresh_token!}`]),
    );
    const next = await shop.refresh(all[0]!.json.refresh_token!);
    expect(next.status).toBe(200);
    // Its successor has been used: whoever comes with it now is another one.
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(next.json.refresh_token!)).json.error).toBe('invalid_grant');
    for (const { json } of all) expect((await shop.userinfo(json.access_token!)).status).toBe(401);
    await other.stop();
  });

  test('used again within seconds gives the same successor once more, and the log says so', async () => {
    const { refreshToken } = await shop.signIn();
    const lost = await shop.refresh(refreshToken);
    const again = await shop.refresh(refreshToken);
    expect(again).toMatchObject({
      status: 200,
      json: { refresh_token: lost.json.refresh_token, id_token: expect.any(String) },
    });
    expect(again.json.access_token).not.toBe(lost.json.access_token);
    expect(stubs.records.at(-1)).toMatchObject({
      record: { action: 'customer.token', changes: { grantType: { to: 'refresh_token' }, repeated: { to: true } } },
    });
    expect(stubs.records.at(-2)!.record.changes).not.toHaveProperty('repeated');
    // Not for another client, and the family does not suffer from it.
    expect((await spa.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(again.json.refresh_token!)).status).toBe(200);
  });

  const consumedAgo = (seconds: number) =>
    stack.database.query(
      `UPDATE auth.oidc_state SET consumed_at = now() - interval '${seconds} seconds' WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
    );

  test('used again after that ends the family', async () => {
    const { refreshToken } = await shop.signIn();
    const { json } = await shop.refresh(refreshToken);
    await consumedAgo(11);
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(json.refresh_token!)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(json.access_token!)).status).toBe(401);
  });

  test('of a customer who has ended meanwhile gives nothing, however shortly ago it was used', async () => {
    const { refreshToken, as } = await shop.signIn();
    await shop.refresh(refreshToken);
    stubs.customers.get(as)!.state = 'not_live';
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('wanted by fifty at once goes to one without a grace period, and the family ends', async () => {
    const strict = await stack.another(undefined, { REFRESH_GRACE_SECONDS: 0 });
    const { refreshToken } = await shop.signIn();
    const all = await Promise.all(Array.from({ length: 50 }, () => shop.refresh(refreshToken, {}, strict.base)));
    expect(all.filter((a) => a.status === 200)).toHaveLength(1);
    expect(all.filter((a) => a.json.error === 'invalid_grant')).toHaveLength(49);
    const [won] = all.filter((a) => a.status === 200);
    expect((await shop.refresh(won!.json.refresh_token!)).json.error).toBe('invalid_grant');
    await strict.stop();
  });

  test('that has expired is refused', async () => {
    const { refreshToken } = await shop.signIn();
    await stack.expire('RefreshToken');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('is for its app alone, and of its organization', async () => {
    const { refreshToken } = await shop.signIn();
    expect((await spa.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(refreshToken, { scope: 'openid email' })).json.error).toBe('invalid_scope');
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });

  test('is not given to an app that has none', async () => {
    const { tokens } = await kiosk.signIn();
    expect(tokens.refresh_token).toBeUndefined();
    const { refreshToken } = await shop.signIn();
    expect((await kiosk.refresh(refreshToken)).json.error).toBe('invalid_request');
  });

  test('of a family ends thirty days after the sign-in, however often it is rotated', async () => {
    const { refreshToken } = await shop.signIn();
    await stack.database.query(`UPDATE auth.oidc_state SET expires_at = expires_at WHERE model = 'RefreshToken'`);
    const { json } = await shop.refresh(refreshToken);
    const rows = await stack.database.query<{ days: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float / 86400 AS days FROM auth.oidc_state WHERE model = 'RefreshToken' ORDER BY expires_at DESC LIMIT 2`,
    );
    expect(json.refresh_token).toBeTruthy();
    for (const { days } of rows) expect(days).toBeLessThanOrEqual(30);
  });

  test('revoked by its app ends with its family', async () => {
    const { refreshToken, tokens } = await shop.signIn();
    const revoke = (party: RelyingParty) =>
      fetch(`${stack.base}/o/acme/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ token: refreshToken }),
        headers: {
          authorization: `Basic ${Buffer.from(`${party.app.clientId}:${party.app.secret}`).toString('base64')}`,
        },
      });
    expect((await revoke(kiosk)).status).toBe(400);
    expect((await revoke(shop)).status).toBe(200);
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
  });
});
