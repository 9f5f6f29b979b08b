import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { GroupsController } from './groups.controller.js';
import { MembersController } from './members.controller.js';

@Module({ controllers: [GroupsController, MembersController], providers: [Resources] })
export class GroupsApiModule {}
