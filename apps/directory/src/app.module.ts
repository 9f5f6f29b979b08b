import { Module } from '@nestjs/common';
import { quarantines, streams } from '@holdfast/contracts';
import { outboxProvider, quarantineController } from '@holdfast/outbox';
import { outboundProvider } from '@holdfast/service';
import { AccessChangesHandler } from './access/access-changes.handler.js';
import { AppAccessHandler } from './access/app-access.handler.js';
import { Heartbeat } from './access/heartbeat.js';
import { CreateAppHandler } from './apps/create-app.handler.js';
import { DisableAppHandler } from './apps/disable-app.handler.js';
import { GetAppHandler } from './apps/get-app.handler.js';
import { GetClientHandler } from './apps/get-client.handler.js';
import { GrantOperationsHandler } from './apps/grants/grant-operations.handler.js';
import { UngrantOperationsHandler } from './apps/grants/ungrant-operations.handler.js';
import { ListAppsHandler } from './apps/list-apps.handler.js';
import { OrganizationOriginsHandler } from './apps/organization-origins.handler.js';
import { Secrets } from './apps/secrets/app-secret.entity.js';
import { CreateSecretHandler } from './apps/secrets/create-secret.handler.js';
import { ListSecretsHandler } from './apps/secrets/list-secrets.handler.js';
import { RevokeSecretHandler } from './apps/secrets/revoke-secret.handler.js';
import { UpdateAppHandler } from './apps/update-app.handler.js';
import { Changes } from './changes/changes.js';
import { CreateOrganizationHandler } from './organizations/create-organization.handler.js';
import { KnownOrganizationsHandler } from './organizations/known-organizations.handler.js';
import { ListOrganizationsHandler } from './organizations/list-organizations.handler.js';
import { OrganizationProfileHandler } from './organizations/organization-profile.handler.js';
import { SuspendOrganizationHandler } from './organizations/suspend-organization.handler.js';
import { UpdateOrganizationHandler } from './organizations/update-organization.handler.js';

@Module({
  controllers: [
    CreateOrganizationHandler,
    ListOrganizationsHandler,
    KnownOrganizationsHandler,
    OrganizationProfileHandler,
    OrganizationOriginsHandler,
    SuspendOrganizationHandler,
    UpdateOrganizationHandler,
    CreateAppHandler,
    ListAppsHandler,
    GetAppHandler,
    UpdateAppHandler,
    DisableAppHandler,
    GrantOperationsHandler,
    UngrantOperationsHandler,
    CreateSecretHandler,
    ListSecretsHandler,
    RevokeSecretHandler,
    GetClientHandler,
    AccessChangesHandler,
    AppAccessHandler,
    quarantineController(quarantines.directory),
  ],
  providers: [outboxProvider(streams.directory), outboundProvider, Changes, Heartbeat, Secrets],
})
export class DirectoryModule {}
