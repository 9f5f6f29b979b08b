import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { AccountModule } from './account/account.module.js';
import { AccessRequestsApiModule } from './admin/access-requests/access-requests-api.module.js';
import { AnalyticsApiModule } from './admin/analytics/analytics-api.module.js';
import { AppsApiModule } from './admin/apps/apps-api.module.js';
import { AuditDestinationsApiModule } from './admin/audit-destinations/audit-destinations-api.module.js';
import { AuditApiModule } from './admin/audit/audit-api.module.js';
import { EntitlementsApiModule } from './admin/entitlements/entitlements-api.module.js';
import { EventsModule } from './admin/events/events.module.js';
import { GroupsApiModule } from './admin/groups/groups-api.module.js';
import { OffersApiModule } from './admin/offers/offers-api.module.js';
import { OrganizationApiModule } from './admin/organization/organization-api.module.js';
import { UsersApiModule } from './admin/users/users-api.module.js';
import { WebhooksApiModule } from './admin/webhooks/webhooks-api.module.js';
import { AuditRecordsModule } from './audit/audit-records.module.js';
import { ClaimModule } from './claim/claim.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DocsModule } from './docs/docs.module.js';
import { EdgeModule } from './edge/edge.module.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { HealthModule } from './health/health.module.js';
import { HubModule } from './hub/hub.module.js';
import { InvitationModule } from './invitation/invitation.module.js';
import { IssuerModule } from './issuer/issuer.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PresenceModule } from './presence/presence.module.js';
import { SsfModule } from './ssf/ssf.module.js';

@Module({
  imports: [
    EndpointsModule,
    EdgeModule,
    AccessModule,
    AuditRecordsModule,
    CredentialsModule,
    ClaimModule,
    AccountModule,
    InvitationModule,
    PresenceModule,
    AppsApiModule,
    UsersApiModule,
    AuditApiModule,
    AnalyticsApiModule,
    AuditDestinationsApiModule,
    EventsModule,
    WebhooksApiModule,
    GroupsApiModule,
    OrganizationApiModule,
    EntitlementsApiModule,
    AccessRequestsApiModule,
    OffersApiModule,
    SsfModule,
    IssuerModule,
    HubModule,
    PagesModule,
    DocsModule,
    HealthModule,
  ],
})
export class GatewayModule {}
