import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { RevocationFeed } from '@holdfast/access';
import { AuditWriter, RefusalCounter } from '@holdfast/audit-client';
import { Bus } from '@holdfast/messaging';
import { outboundProvider, Readiness } from '@holdfast/service';
import { ClientLimits } from './clients/client-limits.js';
import { ClientRegistry } from './clients/client-registry.js';
import { Customers } from './issuer/customers.js';
import { IssuerAudit } from './issuer/issuer-audit.js';
import { IssuerRoutes } from './issuer/issuer-routes.js';
import { IssuerServices } from './issuer/issuer-services.js';
import { Issuers } from './issuer/issuers.js';
import { Organizations } from './issuer/organizations.js';
import { WebOrigins } from './issuer/web-origins.js';
import { KeyWatch } from './keys/key-watch.js';
import { ListKeysHandler } from './keys/list-keys.handler.js';
import { PlatformKeysHandler } from './keys/platform-keys.handler.js';
import { RotateKeysHandler } from './keys/rotate-keys.handler.js';
import { SigningKeys } from './keys/signing-keys.js';
import { LogoutNotices } from './logout/logout-notices.js';
import { LogoutQueue } from './logout/logout-queue.js';
import { LogoutSender } from './logout/logout-sender.js';
import { Providers } from './provider/providers.js';
import { TokenAudit } from './provider/token-audit.js';
import { RecordOutbox } from './records/record-outbox.js';
import { SignInSteps } from './sign-in/sign-in.js';
import { EndingsConsumer } from './state/endings.consumer.js';
import { Endings } from './state/endings.js';
import { StateStore } from './state/state-store.js';
import { StateSweeper } from './state/state-sweeper.js';

const feed = {
  provide: RevocationFeed,
  inject: [Bus, Readiness],
  useFactory: (bus: Bus, readiness: Readiness) => new RevocationFeed(bus, 'auth', readiness),
};
const auditWriter = { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) };
const refusals = { provide: RefusalCounter, inject: [Bus], useFactory: (bus: Bus) => new RefusalCounter(bus, 'auth') };

@Module({
  controllers: [PlatformKeysHandler, ListKeysHandler, RotateKeysHandler],
  providers: [
    feed,
    auditWriter,
    refusals,
    RecordOutbox,
    SigningKeys,
    KeyWatch,
    ClientRegistry,
    ClientLimits,
    TokenAudit,
    Providers,
    Organizations,
    WebOrigins,
    Customers,
    StateStore,
    StateSweeper,
    Endings,
    EndingsConsumer,
    outboundProvider,
    LogoutNotices,
    LogoutSender,
    LogoutQueue,
    IssuerAudit,
    IssuerServices,
    Issuers,
    SignInSteps,
    IssuerRoutes,
  ],
})
export class AuthModule implements OnApplicationBootstrap {
  constructor(private readonly feed: RevocationFeed) {}

  onApplicationBootstrap(): void {
    this.feed.start();
  }
}
