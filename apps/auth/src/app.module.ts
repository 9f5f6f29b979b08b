import { AccessFeed, AuditWriter, Bus, Readiness, RefusalCounter, Shutdown } from '@holdfast/bus';
import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ClientRegistry } from './clients/client-registry.js';
import { PlatformKeysHandler } from './keys/platform-keys.handler.js';
import { SigningKeys } from './keys/signing-keys.js';
import { Providers } from './provider/providers.js';
import { TokenAudit } from './provider/token-audit.js';

const feed = {
  provide: AccessFeed,
  inject: [Bus, Readiness],
  useFactory: (bus: Bus, readiness: Readiness) => new AccessFeed(bus, 'auth', readiness),
};
const auditWriter = { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) };
const refusals = {
  provide: RefusalCounter,
  inject: [AuditWriter, Shutdown],
  useFactory: (audit: AuditWriter, shutdown: Shutdown) => {
    const counter = new RefusalCounter(audit);
    shutdown.before(() => counter.stop());
    return counter;
  },
};

@Module({
  controllers: [PlatformKeysHandler],
  providers: [feed, auditWriter, refusals, SigningKeys, ClientRegistry, TokenAudit, Providers],
})
export class AuthModule implements OnApplicationBootstrap {
  constructor(private readonly feed: AccessFeed) {}

  onApplicationBootstrap(): void {
    this.feed.start();
  }
}
