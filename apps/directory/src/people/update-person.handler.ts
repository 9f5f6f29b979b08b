import { Controller } from '@nestjs/common';
import { updatePerson, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { People } from './people.js';
import { toUser } from './person.js';
import { requireMayManage } from './role-rules.js';

@Controller()
export class UpdatePersonHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(updatePerson)
  handle(request: RequestOf<typeof updatePerson>, context: RequestContext): Promise<ReplyOf<typeof updatePerson>> {
    return this.idempotency.once(updatePerson, request, context, (keyed) =>
      this.people.change(
        request.person,
        context,
        (person, { caller }) => {
          requireMayManage(caller, 'users:manage', person);
          const { email = person.email, name = person.name } = request;
          const changed = [...(email === person.email ? [] : ['email']), ...(name === person.name ? [] : ['name'])];
          if (changed.length === 0) return undefined;
          Object.assign(person, { email, name });
          // The record names the fields only: the log keeps no personal data that it could not erase.
          return {
            events: [{ type: 'user.updated' }],
            action: 'user.update',
            changes: Object.fromEntries(changed.map((field) => [field, { to: 'changed' }])),
          };
        },
        (person) => ({ user: toUser(person) }),
        keyed,
      ),
    );
  }
}
