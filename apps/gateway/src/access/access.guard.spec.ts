import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { RevocationFeed } from '@holdfast/access';
import type { AccessTokenClaims, PersonTokenClaims } from '@holdfast/contracts';
import { type Endpoint } from '@holdfast/contracts/http';
import { AppError } from '@holdfast/platform';
import { DpopError } from '../edge/problems/problem.js';
import { ENDPOINT } from '../endpoints/route.js';
import type { AccessTokens } from './access-token.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { AccessGuard } from './access.guard.js';
import type { DpopProofs } from './dpop-proofs.js';
import type { PersonSessions } from './person-sessions.js';
import type { RequestLimits } from './request-limits.js';

const claims = { org: 'acme', client_id: 'app_1', scope: 'offers:write issued:read' } as AccessTokenClaims;
let unavailable: boolean;
const verify = (token: string) =>
  unavailable
    ? Promise.reject(new AppError('unavailable'))
    : token === 'valid'
      ? Promise.resolve(claims)
      : Promise.reject(new AppError('invalid_token'));
let access: 'valid' | 'revoked';
let limits: RequestLimits;
let deniedRequests: number;
const nowSeconds = 1_764_000_000;
const person = {
  sub: 'p',
  client_id: 'hub_acme',
  org: 'acme',
  person_version: 1,
  auth_time: nowSeconds - 600,
  scope: 'account:manage users:manage users:read',
} as PersonTokenClaims;
/** The session that the request's cookie has, and what its exchange finds. */
let session: { id?: string; person?: PersonTokenClaims; fromOwnPage: boolean };
const sessions = {
  idIn: ({ raw }: { raw: { rawHeaders: string[] } }) => (raw.rawHeaders.length > 0 ? undefined : session.id),
  authenticate: () =>
    session.person ? Promise.resolve(session.person) : Promise.reject(new AppError('invalid_token')),
  requireOwnPage: () => {
    if (!session.fromOwnPage) throw new AppError('cross_site_request');
  },
} as unknown as PersonSessions;
let proofs: DpopProofs;

beforeEach(() => {
  [access, deniedRequests, unavailable] = ['valid', 0, false];
  session = { fromOwnPage: true };
  proofs = { verify: () => Promise.resolve(), useOnce: () => Promise.resolve() } as unknown as DpopProofs;
  limits = { countDenied: () => void (deniedRequests += 1), admitCaller: () => undefined } as unknown as RequestLimits;
  // Constructing the strategy registers it with Passport.
  new AccessTokenStrategy(
    { verify } as unknown as AccessTokens,
    { check: () => Promise.resolve(access) } as unknown as RevocationFeed,
    proofs,
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
  Object.assign(guard, { limits, sessions, proofs, clock: { now: () => new Date(nowSeconds * 1000) } });
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

  it('counts no denied request when it cannot say whether the token is valid', async () => {
    unavailable = true;
    const request = requestWith('valid');
    await expect(activate({ operation: 'issued:read' }, request)).rejects.toMatchObject({ code: 'unavailable' });
    expect(deniedRequests).toBe(0);
    expect(request.requestContext.claims).toBeUndefined();
  });

  it('answers 401 when Passport finds neither a caller nor an error', () => {
    expect(() => new AccessGuard().handleRequest(null, false)).toThrow(
      expect.objectContaining({ code: 'missing_token' }),
    );
    expect(new AccessGuard().handleRequest(null, claims)).toBe(claims);
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

  it('answers 401 to a proof that was used before, after the rate limit, and knows no caller', async () => {
    proofs.useOnce = () => Promise.reject(new DpopError('invalid_dpop_proof', 'used before'));
    const request = requestWith('valid', 'globex');
    await expect(activate({ operation: 'issued:read' }, request)).rejects.toMatchObject({ code: 'invalid_dpop_proof' });
    expect([deniedRequests, request.requestContext.claims]).toEqual([1, undefined]);
    limits.admitCaller = overLimit;
    await expect(activate({ operation: 'issued:read' }, requestWith('valid'))).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('checks the rate limit before the organization', async () => {
    limits.admitCaller = overLimit;
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

  describe('with the session of a person at the hub', () => {
    const users = { operation: 'users:manage' } as const;

    it('sets the claims of the person', async () => {
      session = { id: 's', person, fromOwnPage: true };
      const request = requestWith();
      expect(await activate(users, request)).toBe(true);
      expect(request.requestContext.claims).toEqual(person);
    });

    it('uses the bearer token only when the request has both', async () => {
      session = { id: 's', person, fromOwnPage: false };
      const request = requestWith('valid');
      expect(await activate({ operation: 'issued:read' }, request)).toBe(true);
      expect(request.requestContext.claims).toEqual(claims);
      await expect(activate(users, requestWith('valid'))).rejects.toMatchObject({ code: 'insufficient_scope' });
      await expect(activate(users, requestWith('other'))).rejects.toMatchObject({ code: 'invalid_token' });
    });

    it('answers 401 to a session that has ended, and counts the denied request', async () => {
      session = { id: 's', fromOwnPage: true };
      await expect(activate(users, requestWith())).rejects.toMatchObject({ code: 'invalid_token' });
      expect(deniedRequests).toBe(1);
    });

    it('denies a request from a page of another site, as the person', async () => {
      session = { id: 's', person, fromOwnPage: false };
      const request = requestWith();
      await expect(activate(users, request)).rejects.toMatchObject({ code: 'cross_site_request' });
      expect(request.requestContext.claims).toEqual(person);
    });

    it.each(['issued:read', 'offers:write', 'apps:manage'] as const)(
      'denies %s, which no role of the person has',
      async (operation) => {
        session = { id: 's', person, fromOwnPage: true };
        await expect(activate({ operation }, requestWith())).rejects.toMatchObject({ code: 'insufficient_scope' });
      },
    );

    it('denies a person of another organization', async () => {
      session = { id: 's', person: { ...person, org: 'globex' }, fromOwnPage: true };
      await expect(activate(users, requestWith())).rejects.toMatchObject({ code: 'wrong_organization' });
    });

    it('requires a sign-in of at most ten minutes ago where rights are widened, after the scope', async () => {
      session = { id: 's', person, fromOwnPage: true };
      expect(await activate({ ...users, stepUp: true }, requestWith())).toBe(true);
      session.person = { ...person, auth_time: nowSeconds - 601 };
      await expect(activate({ ...users, stepUp: true }, requestWith())).rejects.toMatchObject({
        code: 'step_up_required',
        status: 401,
      });
      await expect(activate({ operation: 'roles:manage', stepUp: true }, requestWith())).rejects.toMatchObject({
        code: 'insufficient_scope',
      });
      expect(await activate(users, requestWith())).toBe(true);
      expect(deniedRequests).toBe(0);
    });

    it('leaves step-up by the body to the reading of the body', async () => {
      session = { id: 's', person: { ...person, auth_time: 0 }, fromOwnPage: true };
      const request = requestWith();
      expect(await activate({ ...users, stepUp: () => true }, request)).toBe(true);
      expect(request.requestContext).toMatchObject({ needsStepUp: true });
    });
  });

  it('never requires a step-up of a program', async () => {
    expect(await activate({ operation: 'issued:read', stepUp: true }, requestWith('valid'))).toBe(true);
  });
});
