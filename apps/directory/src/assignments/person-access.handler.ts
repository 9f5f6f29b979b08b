import { Controller } from '@nestjs/common';
import { personAccess, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { PersonAccess } from './person-access.js';

/** What a person may do in an app now: nobody may cache it. */
@Controller()
export class PersonAccessHandler {
  constructor(
    private readonly access: PersonAccess,
    private readonly encryption: PersonalDataEncryption,
  ) {}

  @Handles(personAccess)
  async handle(
    { person, clientId }: RequestOf<typeof personAccess>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof personAccess>> {
    const found = await this.access.find(org, person, clientId);
    // Nobody who was invited has signed in yet, so nobody can make a statement about them.
    if (!found || found.status === 'invited') return { state: 'unknown' };
    if (found.status === 'deactivated') return { state: 'deactivated' };
    if (!found.mayUse) return { state: 'not_assigned' };
    const { groups, roles, version, since } = found;
    return { state: 'assigned', ...this.encryption.decrypt(found), groups, roles, version, since };
  }
}
