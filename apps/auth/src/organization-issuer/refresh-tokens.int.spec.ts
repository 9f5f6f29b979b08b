import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { basicAuthorization } from '../auth-stack.fixture.js';
import { startRelyingParties, type RelyingParties, type RelyingParty } from '../relying-party.fixture.js';
import { stubs } from '../service-stubs.fixture.js';

let { stack, shop, kiosk, spa } = {} as RelyingParties<'shop' | 'kiosk' | 'spa'>;

beforeAll(async () => {
  ({ stack, shop, kiosk, spa } = await startRelyingParties({
    shop: {},
    kiosk: { name: 'Kiosk', refreshTokens: false },
    spa: { kind: 'spa' },
  }));
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

describe('a refresh token', () => {
  test('is rotated, and a later use of an old one revokes the family', async () => {
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

  test('of fifty concurrent requests at two replicas has one successor', async () => {
    const other = await stack.startReplica();
    const { refreshToken } = await shop.signIn();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => shop.refresh(refreshToken, {}, i % 2 ? other.base : stack.base)),
    );
    expect(new Set(all.map(({ status, json }) => [status, json.refresh_token].join()))).toEqual(
      new Set([`200,${all[0]!.json.refresh_token!}`]),
    );
    const next = await shop.refresh(all[0]!.json.refresh_token!);
    expect(next.status).toBe(200);
    // After its successor was used, another use of the token revokes the family.
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(next.json.refresh_token!)).json.error).toBe('invalid_grant');
    for (const { json } of all) expect((await shop.userinfo(json.access_token!)).status).toBe(401);
    await other.stop();
  });

  test('that is used again within ten seconds gets the same successor, which is recorded', async () => {
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
    // Another client is denied, and that does not revoke the family.
    expect((await spa.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(again.json.refresh_token!)).status).toBe(200);
  });

  const consumedAgo = (seconds: number) =>
    stack.database.query(
      `UPDATE auth.oidc_state SET consumed_at = now() - interval '${seconds} seconds'
       WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
    );

  test('that is used again later revokes the family', async () => {
    const { refreshToken } = await shop.signIn();
    const { json } = await shop.refresh(refreshToken);
    await consumedAgo(11);
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(json.refresh_token!)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(json.access_token!)).status).toBe(401);
  });

  test('of a customer without a live credential is denied, also within ten seconds of its first use', async () => {
    const { refreshToken, as } = await shop.signIn();
    await shop.refresh(refreshToken);
    stubs.customers.get(as)!.state = 'not_live';
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('of fifty concurrent requests without a grace period is accepted once, and the family is revoked', async () => {
    const strict = await stack.startReplica({ config: { REFRESH_GRACE_SECONDS: 0 } });
    const { refreshToken } = await shop.signIn();
    const all = await Promise.all(Array.from({ length: 50 }, () => shop.refresh(refreshToken, {}, strict.base)));
    const accepted = all.filter((a) => a.status === 200);
    expect(accepted).toHaveLength(1);
    expect(all.filter((a) => a.json.error === 'invalid_grant')).toHaveLength(49);
    expect((await shop.refresh(accepted[0]!.json.refresh_token!)).json.error).toBe('invalid_grant');
    await strict.stop();
  });

  test('that has expired is denied', async () => {
    const { refreshToken } = await shop.signIn();
    await stack.expire('RefreshToken');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('is denied for another app or another scope', async () => {
    const { refreshToken } = await shop.signIn();
    expect((await spa.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.refresh(refreshToken, { scope: 'openid email' })).json.error).toBe('invalid_scope');
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });

  test('is not issued to an app without refresh tokens', async () => {
    const { tokens } = await kiosk.signIn();
    expect(tokens.refresh_token).toBeUndefined();
    const { refreshToken } = await shop.signIn();
    expect((await kiosk.refresh(refreshToken)).json.error).toBe('invalid_request');
  });

  test('expires with its family thirty days after the sign-in, however often it is rotated', async () => {
    const { refreshToken } = await shop.signIn();
    await stack.database.query(`UPDATE auth.oidc_state SET expires_at = expires_at WHERE model = 'RefreshToken'`);
    const { json } = await shop.refresh(refreshToken);
    const rows = await stack.database.query<{ days: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float / 86400 AS days FROM auth.oidc_state
       WHERE model = 'RefreshToken' ORDER BY expires_at DESC LIMIT 2`,
    );
    expect(json.refresh_token).toBeTruthy();
    for (const { days } of rows) expect(days).toBeLessThanOrEqual(30);
  });

  test('that its app revokes is revoked with its family', async () => {
    const { refreshToken, tokens } = await shop.signIn();
    const revoke = (party: RelyingParty) =>
      fetch(`${stack.base}/o/acme/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ token: refreshToken }),
        headers: { authorization: basicAuthorization(party.app) },
      });
    expect((await revoke(kiosk)).status).toBe(400);
    expect((await revoke(shop)).status).toBe(200);
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
  });
});
