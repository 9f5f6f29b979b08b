import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { RateLimitExchange, RevocationFeed, SharedRateLimits } from '@holdfast/access';
import { AuditWriter, DeniedRequestCounter, RecordOutbox } from '@holdfast/audit-client';
import { Bus } from '@holdfast/messaging';
import { outboundProvider, Readiness, Shutdown } from '@holdfast/service';
import { AccountSessionHandler } from './account/account-session.handler.js';
import { AccountSessions } from './account/account-sessions.js';
import { CreateAccountSessionHandler } from './account/create-account-session.handler.js';
import { CustomerSessionsHandler } from './account/customer-sessions.handler.js';
import { CustomerSessions } from './account/customer-sessions.js';
import { PersonSessionsHandler } from './account/person-sessions.handler.js';
import { ClientKeys } from './client-authentication/client-keys.js';
import { SecretHashes } from './client-authentication/secret-hashes.js';
import { UseProofHandler } from './client-authentication/use-proof.handler.js';
import { ClientLimits } from './clients/client-limits.js';
import { ClientRegistry } from './clients/client-registry.js';
import { DeviceSignIn } from './device-sign-in/device-sign-in.js';
import { DirectoryEventsConsumer } from './directory-events.consumer.js';
import { IssuerRoutes } from './http/issuer-routes.js';
import { CreateHubSessionHandler } from './hub/create-hub-session.handler.js';
import { EndHubSessionHandler } from './hub/end-hub-session.handler.js';
import { ExchangeHubSessionHandler } from './hub/exchange-hub-session.handler.js';
import { HubSessions } from './hub/hub-sessions.js';
import { PeopleOfHub } from './hub/people-of-hub.js';
import { PersonTokens } from './hub/person-tokens.js';
import { KeyWatch } from './keys/key-watch.js';
import { KeysInAdvance } from './keys/keys-in-advance.js';
import { ListKeysHandler } from './keys/list-keys.handler.js';
import { PlatformKeysHandler } from './keys/platform-keys.handler.js';
import { PlatformSigningKeys } from './keys/platform-signing-keys.js';
import { RotateKeysHandler } from './keys/rotate-keys.handler.js';
import { SignSecurityEventsHandler } from './keys/sign-security-events.handler.js';
import { SigningKeys } from './keys/signing-keys.js';
import { LogoutNotifications } from './logout/logout-notifications.js';
import { LogoutQueue } from './logout/logout-queue.js';
import { LogoutSender } from './logout/logout-sender.js';
import { IssuerAudit } from './organization-issuer/audit/issuer-audit.js';
import { Customers } from './organization-issuer/customers.js';
import { IssuerServices } from './organization-issuer/issuer-services.js';
import { Issuers } from './organization-issuer/issuers.js';
import { People } from './organization-issuer/people.js';
import { Organizations } from './organizations/organizations.js';
import { WebOrigins } from './organizations/web-origins.js';
import { AppTokens } from './platform-issuer/app-tokens.js';
import { ClientCredentialsGrant } from './platform-issuer/client-credentials-grant.js';
import { IssueTokenHandler } from './platform-issuer/issue-token.handler.js';
import { PlatformIssuer } from './platform-issuer/platform-issuer.js';
import { TokenAudit } from './platform-issuer/token-audit.js';
import { AuthKeyRotation } from './rotation/key-rotation.js';
import { DeviceCodes } from './sessions/device-codes.js';
import { PersonRevocations } from './sessions/people/person-revocations.js';
import { SessionRevocationsConsumer } from './sessions/session-revocations.consumer.js';
import { SessionRevocations } from './sessions/session-revocations.js';
import { StateStore } from './sessions/state-store.js';
import { StateSweeper } from './sessions/state-sweeper.js';
import { PasskeyVerification } from './sign-in/passkey-verification.js';
import { SignInSteps } from './sign-in/sign-in.js';

const feed = {
  provide: RevocationFeed,
  inject: [Bus, Readiness],
  useFactory: (bus: Bus, readiness: Readiness) => new RevocationFeed(bus, 'auth', readiness),
};
const rateLimitExchange = {
  provide: RateLimitExchange,
  inject: [Bus, Readiness, Shutdown],
  useFactory: (bus: Bus, readiness: Readiness, shutdown: Shutdown) =>
    new RateLimitExchange(bus, 'auth', readiness, shutdown),
};
const sharedRateLimits = {
  provide: SharedRateLimits,
  inject: [RateLimitExchange],
  useFactory: ({ limits }: RateLimitExchange) => limits,
};
const auditWriter = { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) };
const deniedRequests = {
  provide: DeniedRequestCounter,
  inject: [Bus],
  useFactory: (bus: Bus) => new DeniedRequestCounter(bus, 'auth'),
};

@Module({
  controllers: [
    PlatformKeysHandler,
    ListKeysHandler,
    RotateKeysHandler,
    SignSecurityEventsHandler,
    CreateHubSessionHandler,
    ExchangeHubSessionHandler,
    EndHubSessionHandler,
    CreateAccountSessionHandler,
    AccountSessionHandler,
    CustomerSessionsHandler,
    PersonSessionsHandler,
    UseProofHandler,
    IssueTokenHandler,
  ],
  providers: [
    feed,
    rateLimitExchange,
    sharedRateLimits,
    auditWriter,
    deniedRequests,
    RecordOutbox,
    SigningKeys,
    KeyWatch,
    KeysInAdvance,
    PlatformSigningKeys,
    AuthKeyRotation,
    SecretHashes,
    ClientRegistry,
    ClientLimits,
    ClientKeys,
    TokenAudit,
    AppTokens,
    ClientCredentialsGrant,
    PlatformIssuer,
    Organizations,
    WebOrigins,
    Customers,
    People,
    StateStore,
    StateSweeper,
    SessionRevocations,
    SessionRevocationsConsumer,
    PersonRevocations,
    DirectoryEventsConsumer,
    outboundProvider,
    LogoutNotifications,
    LogoutSender,
    LogoutQueue,
    IssuerAudit,
    IssuerServices,
    Issuers,
    PasskeyVerification,
    SignInSteps,
    DeviceCodes,
    DeviceSignIn,
    HubSessions,
    AccountSessions,
    CustomerSessions,
    PeopleOfHub,
    PersonTokens,
    IssuerRoutes,
  ],
})
export class AuthModule implements OnApplicationBootstrap {
  constructor(private readonly feed: RevocationFeed) {}

  onApplicationBootstrap(): void {
    this.feed.start();
  }
}
