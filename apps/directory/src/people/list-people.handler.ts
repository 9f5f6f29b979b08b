import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { listPeople, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Organizations } from '../organizations/organizations.js';
import { PeopleList } from './people-list.js';
import { People } from './people.js';
import { toUser } from './person.js';

@Controller()
export class ListPeopleHandler {
  constructor(
    private readonly people: People,
    private readonly list: PeopleList,
    private readonly organizations: Organizations,
    private readonly bus: Bus,
  ) {}

  @Handles(listPeople)
  async handle(request: RequestOf<typeof listPeople>, context: RequestContext): Promise<ReplyOf<typeof listPeople>> {
    if (context.actor.type === 'operator') await this.organizations.requireExists(context.org);
    const { rows, next } = await this.list.page(context.org, request);
    await recordReadOfOperator(this.bus, context, 'user.list');
    return { items: rows.map((row) => toUser(this.people.decrypted(row))), ...(next && { next }) };
  }
}
