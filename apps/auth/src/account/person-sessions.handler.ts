import { Controller } from '@nestjs/common';
import {
  endPersonSessions,
  listPersonSessions,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { CustomerSessions } from './customer-sessions.js';

/** GET and DELETE …/admin/users/me/sessions */
@Controller()
export class PersonSessionsHandler {
  constructor(private readonly sessions: CustomerSessions) {}

  @Handles(listPersonSessions)
  async list(
    _: RequestOf<typeof listPersonSessions>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listPersonSessions>> {
    const items = await this.sessions.list(context.org, personIn(context));
    return { items: items.map(({ passkey: _passkey, ...session }) => session) };
  }

  @Handles(endPersonSessions)
  async end(
    { session }: RequestOf<typeof endPersonSessions>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof endPersonSessions>> {
    const person = personIn(context);
    return { changed: await this.sessions.end(context, { type: 'person', id: person, dataSubject: person }, session) };
  }
}

/** Only people hold `account:manage`. Anybody else would reach the sessions of a customer with the same id. */
function personIn({ actor }: RequestContext): string {
  if (actor.type !== 'person') throw new AppError('unknown_user');
  return actor.id;
}
