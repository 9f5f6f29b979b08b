import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { Assignments } from './assignments.js';
import { ChangeAssignmentsHandler } from './change-assignments.handler.js';
import { ExpireAssignments } from './expire-assignments.js';
import { ListAssignmentsHandler } from './list-assignments.handler.js';
import { PeopleWithAccessHandler } from './people-with-access.handler.js';
import { PersonAccessHandler } from './person-access.handler.js';
import { PersonAccess } from './person-access.js';

@Module({
  imports: [ChangesModule, OrganizationsModule],
  controllers: [ChangeAssignmentsHandler, ListAssignmentsHandler, PersonAccessHandler, PeopleWithAccessHandler],
  providers: [Assignments, PersonAccess, PersonalDataEncryption, ExpireAssignments],
  exports: [PersonAccess],
})
export class AssignmentsModule {}
