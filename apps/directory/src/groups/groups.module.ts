import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ChangeGroupsHandler } from './change-groups.handler.js';
import { GetGroupHandler } from './get-group.handler.js';
import { Groups } from './groups.js';
import { ListGroupsHandler } from './list-groups.handler.js';
import { ListMembersHandler } from './list-members.handler.js';
import { Members } from './members.js';

@Module({
  imports: [ChangesModule, OrganizationsModule],
  controllers: [ListGroupsHandler, GetGroupHandler, ChangeGroupsHandler, ListMembersHandler],
  providers: [Groups, Members],
})
export class GroupsModule {}
