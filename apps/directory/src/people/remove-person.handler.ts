import { Controller } from '@nestjs/common';
import { removePerson, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { People } from './people.js';
import { requireMayManage } from './role-rules.js';

/** Removes a person. At the reply directory has nothing of them; the other services follow within seconds. */
@Controller()
export class RemovePersonHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(removePerson)
  handle(request: RequestOf<typeof removePerson>, context: RequestContext): Promise<ReplyOf<typeof removePerson>> {
    return this.idempotency.once(removePerson, request, context, (keyed) =>
      this.people.remove(
        request.person,
        context,
        (person, caller) => requireMayManage(caller, 'users:manage', person),
        keyed,
      ),
    );
  }
}
