import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { RateLimitExchange, RevocationFeed, SharedRateLimits } from '@holdfast/access';
import { Bus } from '@holdfast/messaging';
import { Readiness, Shutdown } from '@holdfast/service';
import { OrganizationsOfErrorPages } from '../edge/problems/organizations-of-error-pages.js';
import { AccessTokens } from './access-token.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { AccessGuard } from './access.guard.js';
import { ContinuedAccess } from './continued-access.js';
import { DpopProofs } from './dpop-proofs.js';
import { OrganizationProfiles } from './organization-profiles.js';
import { PersonSessions } from './person-sessions.js';
import { PlatformKeys } from './platform-keys.js';
import { RequestLimits } from './request-limits.js';

/** Authentication, authorization and rate limits of requests: access token or session, organization, operation. */
@Global()
@Module({
  imports: [PassportModule],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: RevocationFeed, inject: [Bus, Readiness], useFactory: revocationFeed },
    { provide: RateLimitExchange, inject: [Bus, Readiness, Shutdown], useFactory: rateLimitExchange },
    { provide: SharedRateLimits, inject: [RateLimitExchange], useFactory: ({ limits }: RateLimitExchange) => limits },
    AccessTokens,
    AccessTokenStrategy,
    ContinuedAccess,
    DpopProofs,
    OrganizationProfiles,
    { provide: OrganizationsOfErrorPages, useExisting: OrganizationProfiles },
    PersonSessions,
    PlatformKeys,
    RequestLimits,
  ],
  exports: [ContinuedAccess, OrganizationProfiles, OrganizationsOfErrorPages, PersonSessions],
})
export class AccessModule {}

function revocationFeed(bus: Bus, readiness: Readiness): RevocationFeed {
  const feed = new RevocationFeed(bus, 'gateway', readiness);
  feed.start();
  return feed;
}

function rateLimitExchange(bus: Bus, readiness: Readiness, shutdown: Shutdown): RateLimitExchange {
  return new RateLimitExchange(bus, 'gateway', readiness, shutdown);
}
