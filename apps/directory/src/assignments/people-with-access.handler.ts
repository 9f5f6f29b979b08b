import { Controller } from '@nestjs/common';
import { peopleWithAccess, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { PersonAccess } from './person-access.js';

@Controller()
export class PeopleWithAccessHandler {
  constructor(private readonly access: PersonAccess) {}

  @Handles(peopleWithAccess)
  async handle(
    { clientId, people }: RequestOf<typeof peopleWithAccess>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof peopleWithAccess>> {
    return { people: await this.access.among(org, clientId, people) };
  }
}
