import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChangesModule } from '../changes/changes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { OutboundModule } from '../outbound.module.js';
import { PeopleModule } from '../people/people.module.js';
import { DirectoryKeyRotation } from '../rotation/key-rotation.js';
import { AdminChangeGrantsHandler } from './admin/admin-change-grants.handler.js';
import { AdminCreateAppHandler } from './admin/admin-create-app.handler.js';
import { AdminCreateSecretHandler } from './admin/admin-create-secret.handler.js';
import { AdminDeleteAppHandler } from './admin/admin-delete-app.handler.js';
import { AdminDisableAppHandler } from './admin/admin-disable-app.handler.js';
import { AdminGetAppHandler } from './admin/admin-get-app.handler.js';
import { AdminListAppsHandler } from './admin/admin-list-apps.handler.js';
import { AdminListSecretsHandler } from './admin/admin-list-secrets.handler.js';
import { AdminRevokeSecretHandler } from './admin/admin-revoke-secret.handler.js';
import { AdminUpdateAppHandler } from './admin/admin-update-app.handler.js';
import { ManagedApps } from './admin/managed-apps.js';
import { AppEntity, AppGrantEntity } from './app.entity.js';
import { Apps } from './apps.js';
import { CreateAppHandler } from './create-app.handler.js';
import { DeleteAppHandler } from './delete-app.handler.js';
import { DisableAppHandler } from './disable-app.handler.js';
import { GetAppHandler } from './get-app.handler.js';
import { GetClientHandler } from './get-client.handler.js';
import { GrantOperationsHandler } from './grants/grant-operations.handler.js';
import { UngrantOperationsHandler } from './grants/ungrant-operations.handler.js';
import { KeyChanges } from './keys/key-changes.js';
import { RemovedKeyEntity } from './keys/removed-key.entity.js';
import { LimitAppHandler } from './limit-app.handler.js';
import { ListAppsHandler } from './list-apps.handler.js';
import { OrganizationOriginsHandler } from './organization-origins.handler.js';
import { AppSecretEntity } from './secrets/app-secret.entity.js';
import { CreateSecretHandler } from './secrets/create-secret.handler.js';
import { ListSecretsHandler } from './secrets/list-secrets.handler.js';
import { RenewSecretHashHandler } from './secrets/renew-secret-hash.handler.js';
import { RevokeSecretHandler } from './secrets/revoke-secret.handler.js';
import { Secrets } from './secrets/secrets.js';
import { UpdateAppHandler } from './update-app.handler.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([AppEntity, AppGrantEntity, AppSecretEntity, RemovedKeyEntity]),
    ChangesModule,
    OrganizationsModule,
    OutboundModule,
    PeopleModule,
  ],
  controllers: [
    CreateAppHandler,
    UpdateAppHandler,
    DeleteAppHandler,
    DisableAppHandler,
    LimitAppHandler,
    GetAppHandler,
    ListAppsHandler,
    GrantOperationsHandler,
    UngrantOperationsHandler,
    CreateSecretHandler,
    ListSecretsHandler,
    RevokeSecretHandler,
    RenewSecretHashHandler,
    GetClientHandler,
    OrganizationOriginsHandler,
    AdminListAppsHandler,
    AdminGetAppHandler,
    AdminCreateAppHandler,
    AdminUpdateAppHandler,
    AdminDisableAppHandler,
    AdminChangeGrantsHandler,
    AdminDeleteAppHandler,
    AdminListSecretsHandler,
    AdminCreateSecretHandler,
    AdminRevokeSecretHandler,
  ],
  providers: [Apps, Secrets, KeyChanges, ManagedApps, DirectoryKeyRotation],
})
export class AppsModule {}
