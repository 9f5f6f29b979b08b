import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { RevocationFeed } from '@holdfast/access';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { ENDPOINT, type Endpoint } from '../endpoints/endpoint.js';
import type { AccessTokens } from './access-token.js';
import { AccessGuard } from './access.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import type { RequestLimits } from './request-limits.js';

const claims = { org: 'acme', client_id: 'app_1', scope: 'offers:write issued:read' } as AccessTokenClaims;
const verify = (token: string) =>
  token === 'valid' ? Promise.resolve(claims) : Promise.reject(new AppError('invalid_token'));
let access: 'valid' | 'revoked';
let limits: RequestLimits;
let deniedRequests: number;

beforeEach(() => {
  [access, deniedRequests] = ['valid', 0];
  limits = { countDenied: () => void (deniedRequests += 1), admitApp: () => undefined } as unknown as RequestLimits;
  // Constructing the strategy registers it with Passport.
  new BearerStrategy(
    { verify } as unknown as AccessTokens,
    { check: () => Promise.resolve(access) } as unknown as RevocationFeed,
  );
});

function requestWith(token?: string, shortId = 'acme') {
  const rawHeaders = token === undefined ? [] : ['Authorization', `Bearer ${token}`];
  return { raw: { rawHeaders }, params: { shortId }, requestContext: {} as { claims?: AccessTokenClaims } };
}

function activate(declared: Partial<Endpoint> | undefined, request: object): Promise<boolean> {
  const handler = () => undefined;
  if (declared) Reflect.defineMetadata(ENDPOINT, declared, handler);
  const context = {
    getHandler: () => handler,
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }),
  } as unknown as ExecutionContext;
  const guard = new AccessGuard();
  Object.assign(guard, { limits });
  return guard.canActivate(context);
}

const overLimit = () => {
  throw new AppError('rate_limited');
};

describe('AccessGuard', () => {
  it('sets the verified claims of a request that passes every check', async () => {
    const request = requestWith('valid');
    expect(await activate({ operation: 'issued:read' }, request)).toBe(true);
    expect(request.requestContext.claims).toEqual(claims);
    expect(deniedRequests).toBe(0);
  });

  it('requires no token for an endpoint that is declared public', async () => {
    expect(await activate({ public: 'the same for everybody' }, requestWith())).toBe(true);
  });

  it('answers not_found for a handler without a declaration', async () => {
    await expect(activate(undefined, requestWith('valid'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    [undefined, 'missing_token'],
    ['other', 'invalid_token'],
  ])('answers 401 to the token %s and counts the denied request', async (token, code) => {
    await expect(activate({ operation: 'issued:read' }, requestWith(token))).rejects.toMatchObject({ code });
    expect(deniedRequests).toBe(1);
  });

  it('answers 401 to a valid token whose app has lost rights', async () => {
    access = 'revoked';
    await expect(activate({ operation: 'issued:read' }, requestWith('valid'))).rejects.toMatchObject({
      code: 'invalid_token',
    });
  });

  it('answers 429 in place of 401 when an address sends too many invalid tokens', async () => {
    limits.countDenied = overLimit;
    await expect(activate({ operation: 'issued:read' }, requestWith())).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('checks the rate limit before the organization', async () => {
    limits.admitApp = overLimit;
    await expect(activate({ operation: 'issued:read' }, requestWith('valid', 'globex'))).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('checks the organization before the scope', async () => {
    await expect(activate({ operation: 'issued:manage' }, requestWith('valid', 'globex'))).rejects.toMatchObject({
      code: 'wrong_organization',
    });
  });

  it.each(['issued:manage', 'issued:rea', 'issued'])('denies the operation %s, which the token lacks', async (name) => {
    const operation = name as Endpoint['operation'] & string;
    await expect(activate({ operation }, requestWith('valid'))).rejects.toMatchObject({
      code: 'insufficient_scope',
      scope: operation,
    });
  });
});
