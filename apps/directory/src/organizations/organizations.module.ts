import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChangesModule } from '../changes/changes.module.js';
import { OutboundModule } from '../outbound.module.js';
import { OrganizationShardsHandler } from '../shards/organization-shards.handler.js';
import { AdminOrganizationHandler } from './admin-organization.handler.js';
import { AdminRpIdHandler } from './admin-rp-id.handler.js';
import { CreateOrganizationHandler } from './create-organization.handler.js';
import { DeleteOrganizationHandler } from './delete-organization.handler.js';
import { HubApps } from './hub-apps.js';
import { KnownOrganizationsHandler } from './known-organizations.handler.js';
import { LimitOrganizationHandler } from './limit-organization.handler.js';
import { ListOrganizationsHandler } from './list-organizations.handler.js';
import { MoveOrganizationHandler } from './move-organization.handler.js';
import { OperatorReads } from './operator-reads.js';
import { OrganizationLogoHandler } from './organization-logo.handler.js';
import { OrganizationMoveHandler } from './organization-move.handler.js';
import { OrganizationProfileHandler } from './organization-profile.handler.js';
import { OrganizationEntity } from './organization.entity.js';
import { Organizations } from './organizations.js';
import { OverdueDeletions } from './overdue-deletions.js';
import { SuspendOrganizationHandler } from './suspend-organization.handler.js';
import { UpdateOrganizationHandler } from './update-organization.handler.js';

@Module({
  imports: [TypeOrmModule.forFeature([OrganizationEntity]), ChangesModule, OutboundModule],
  controllers: [
    CreateOrganizationHandler,
    UpdateOrganizationHandler,
    SuspendOrganizationHandler,
    LimitOrganizationHandler,
    ListOrganizationsHandler,
    KnownOrganizationsHandler,
    OrganizationProfileHandler,
    OrganizationLogoHandler,
    AdminOrganizationHandler,
    AdminRpIdHandler,
    OrganizationShardsHandler,
    OrganizationMoveHandler,
    MoveOrganizationHandler,
    DeleteOrganizationHandler,
  ],
  providers: [Organizations, OperatorReads, HubApps, OverdueDeletions],
  exports: [Organizations, OperatorReads],
})
export class OrganizationsModule {}
