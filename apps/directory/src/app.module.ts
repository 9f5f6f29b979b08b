import { Module } from '@nestjs/common';
import { quarantines } from '@holdfast/contracts';
import { quarantineController } from '@holdfast/outbox';
import { AccessRequestsModule } from './access-requests/access-requests.module.js';
import { AccessModule } from './access/access.module.js';
import { AppsModule } from './apps/apps.module.js';
import { AssignmentsModule } from './assignments/assignments.module.js';
import { ChangesModule } from './changes/changes.module.js';
import { DeletionsModule } from './deletions/deletions.module.js';
import { EntitlementsModule } from './entitlements/entitlements.module.js';
import { GroupsModule } from './groups/groups.module.js';
import { OrganizationsModule } from './organizations/organizations.module.js';
import { PeopleModule } from './people/people.module.js';
import { PersonSignInModule } from './person-sign-in/person-sign-in.module.js';

@Module({
  imports: [
    OrganizationsModule,
    AppsModule,
    AccessModule,
    ChangesModule,
    PeopleModule,
    PersonSignInModule,
    GroupsModule,
    AssignmentsModule,
    EntitlementsModule,
    AccessRequestsModule,
    DeletionsModule,
  ],
  controllers: [quarantineController(quarantines.directory)],
})
export class DirectoryModule {}
