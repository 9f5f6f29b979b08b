import { Module } from '@nestjs/common';
import { AssignmentsModule } from '../assignments/assignments.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { GetPersonHandler } from './get-person.handler.js';
import { BeginInvitationHandler } from './invitations/begin-invitation.handler.js';
import { CompleteInvitationHandler } from './invitations/complete-invitation.handler.js';
import { GetInvitationHandler } from './invitations/get-invitation.handler.js';
import { InvitationLinks } from './invitations/links.js';
import { InvitePersonHandler } from './invite-person.handler.js';
import { ListPeopleHandler } from './list-people.handler.js';
import { PeopleList } from './people-list.js';
import { People } from './people.js';
import { PersonIndex } from './personal-data/person-index.js';
import { PersonalDataEncryption } from './personal-data/personal-data.js';
import { BeginPersonSignInHandler } from './sign-in/begin-person-sign-in.handler.js';
import { CompletePersonSignInHandler } from './sign-in/complete-person-sign-in.handler.js';

@Module({
  imports: [ChangesModule, OrganizationsModule, AssignmentsModule],
  controllers: [
    ListPeopleHandler,
    GetPersonHandler,
    InvitePersonHandler,
    GetInvitationHandler,
    BeginInvitationHandler,
    CompleteInvitationHandler,
    BeginPersonSignInHandler,
    CompletePersonSignInHandler,
  ],
  providers: [People, PeopleList, PersonIndex, PersonalDataEncryption, InvitationLinks],
  exports: [People, PersonIndex, PersonalDataEncryption],
})
export class PeopleModule {}
