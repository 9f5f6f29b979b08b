import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { getPerson, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { People, targetOf } from './people.js';
import { toUser } from './person.js';

@Controller()
export class GetPersonHandler {
  constructor(
    private readonly people: People,
    private readonly bus: Bus,
  ) {}

  @Handles(getPerson)
  async handle(
    { person: id }: RequestOf<typeof getPerson>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof getPerson>> {
    const person = await this.people.find(context.org, id);
    await recordReadOfOperator(this.bus, context, 'user.read', [targetOf(id)]);
    return toUser(person);
  }
}
