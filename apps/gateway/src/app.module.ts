import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { RevocationFeed } from '@holdfast/access';
import { AuditWriter, RefusalCounter } from '@holdfast/audit-client';
import { knownOrganizations } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { Readiness } from '@holdfast/service';
import { AccessTokens } from './access/access-token.js';
import { AccessGuard } from './access/access.guard.js';
import { BearerStrategy } from './access/bearer.strategy.js';
import { OrganizationProfiles } from './access/organization-profiles.js';
import { PlatformKeys } from './access/platform-keys.js';
import { RequestLimits } from './access/rate-limits/request-limits.js';
import { AuditEntriesController } from './admin/audit/audit-entries.controller.js';
import { AuditController } from './admin/audit/audit-events.controller.js';
import { AuditProofsController } from './admin/audit/audit-proofs.controller.js';
import { AuditTilesController } from './admin/audit/audit-tiles.controller.js';
import { EventsController } from './admin/events/events.controller.js';
import { ClaimController } from './claim/claim.controller.js';
import { IssuedController } from './credentials/issued.controller.js';
import { OffersController } from './credentials/offers.controller.js';
import { SubjectsController } from './credentials/subjects.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { ProblemFilter } from './edge/problems/problem.filter.js';
import { endpoints } from './endpoints.js';
import { ENDPOINTS } from './endpoints/endpoint.js';
import { RouteTable } from './endpoints/route-table.js';
import { HealthController } from './health/health.controller.js';
import { IssuerProxyController } from './issuer/issuer.controller.js';
import { AuthProxyController } from './issuer/platform-issuer.controller.js';
import { AuthProxy } from './issuer/proxy/auth-proxy.js';
import { AuthReplicas } from './issuer/proxy/auth-replicas.js';
import { ResourceMetadataController } from './issuer/resource-metadata.controller.js';
import { PAGES, readPages } from './pages/built-pages.js';
import { PagesController } from './pages/pages.controller.js';
import { RelatedOriginsController } from './pages/related-origins.controller.js';
import { PresenceController } from './presence/presence.controller.js';
import { WidgetController } from './presence/widget.controller.js';
import { readWidget, WIDGET } from './presence/widget.js';

@Module({
  controllers: [
    OffersController,
    SubjectsController,
    IssuedController,
    ClaimController,
    PresenceController,
    WidgetController,
    AuditController,
    AuditProofsController,
    AuditTilesController,
    AuditEntriesController,
    EventsController,
    AuthProxyController,
    IssuerProxyController,
    PagesController,
    RelatedOriginsController,
    ResourceMetadataController,
    DocsController,
    HealthController,
  ],
  providers: [
    { provide: ENDPOINTS, useValue: endpoints },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: PAGES, useFactory: () => readPages() },
    { provide: WIDGET, useFactory: () => readWidget() },
    RouteTable,
    RequestLimits,
    AuthProxy,
    AuthReplicas,
    BearerStrategy,
    AccessTokens,
    PlatformKeys,
    OrganizationProfiles,
    { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) },
    { provide: RefusalCounter, inject: [Bus], useFactory: refusalCounter },
    { provide: RevocationFeed, inject: [Bus, Readiness], useFactory: accessFeed },
  ],
})
export class GatewayModule {}

function refusalCounter(bus: Bus): RefusalCounter {
  const exists = async (shortId: string) =>
    (await bus.request(knownOrganizations, { shortIds: [shortId] }, systemContext('gateway'))).known.length > 0;
  return new RefusalCounter(bus, 'gateway', exists);
}

function accessFeed(bus: Bus, readiness: Readiness): RevocationFeed {
  const feed = new RevocationFeed(bus, 'gateway', readiness);
  feed.start();
  return feed;
}
