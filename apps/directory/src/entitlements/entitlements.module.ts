import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ListEntitlementsHandler } from './list-entitlements.handler.js';

@Module({ imports: [OrganizationsModule], controllers: [ListEntitlementsHandler] })
export class EntitlementsModule {}
