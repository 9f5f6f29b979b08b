import { Module } from '@nestjs/common';
import { ClearChallenges } from '@holdfast/passkeys';
import { ChangesModule } from '../changes/changes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ChangeRolesHandler } from './change-roles.handler.js';
import { ForgetPeople } from './forget-people.js';
import { GetPersonHandler } from './get-person.handler.js';
import { BeginInvitationHandler } from './invitations/begin-invitation.handler.js';
import { CompleteInvitationHandler } from './invitations/complete-invitation.handler.js';
import { GetInvitationHandler } from './invitations/get-invitation.handler.js';
import { InvitationLinks } from './invitations/links.js';
import { ReissueInvitationHandler } from './invitations/reissue-invitation.handler.js';
import { WithdrawInvitationHandler } from './invitations/withdraw-invitation.handler.js';
import { InvitePersonHandler } from './invite-person.handler.js';
import { ListPeopleHandler } from './list-people.handler.js';
import { BeginPasskeyAdditionHandler } from './passkeys/begin-passkey-addition.handler.js';
import { CompletePasskeyAdditionHandler } from './passkeys/complete-passkey-addition.handler.js';
import { ListPasskeysHandler } from './passkeys/list-passkeys.handler.js';
import { RemovePasskeyHandler } from './passkeys/remove-passkey.handler.js';
import { RenamePasskeyHandler } from './passkeys/rename-passkey.handler.js';
import { PeopleList } from './people-list.js';
import { People } from './people.js';
import { IndexedPeople } from './personal-data/indexed-people.js';
import { PersonIndex } from './personal-data/person-index.js';
import { PersonalDataEncryption } from './personal-data/personal-data.js';
import { RemovalConfirmations } from './removal-confirmations.js';
import { RemovePersonHandler } from './remove-person.handler.js';
import { SetPersonActiveHandler } from './set-person-active.handler.js';
import { UpdatePersonHandler } from './update-person.handler.js';

@Module({
  imports: [ChangesModule, OrganizationsModule],
  controllers: [
    ListPeopleHandler,
    GetPersonHandler,
    InvitePersonHandler,
    ReissueInvitationHandler,
    WithdrawInvitationHandler,
    UpdatePersonHandler,
    SetPersonActiveHandler,
    ChangeRolesHandler,
    RemovePersonHandler,
    ListPasskeysHandler,
    RenamePasskeyHandler,
    RemovePasskeyHandler,
    BeginPasskeyAdditionHandler,
    CompletePasskeyAdditionHandler,
    GetInvitationHandler,
    BeginInvitationHandler,
    CompleteInvitationHandler,
  ],
  providers: [
    People,
    PeopleList,
    PersonIndex,
    PersonalDataEncryption,
    InvitationLinks,
    ClearChallenges,
    RemovalConfirmations,
    ForgetPeople,
    IndexedPeople,
  ],
  exports: [People, PersonIndex, PersonalDataEncryption, IndexedPeople],
})
export class PeopleModule {}
