import { Controller } from '@nestjs/common';
import {
  changeRoles,
  operationsOf,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type Role,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { People } from './people.js';
import { sorted, toUser } from './person.js';
import { requireMayGive } from './role-rules.js';

/** Replaces the roles of a person. */
@Controller()
export class ChangeRolesHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(changeRoles)
  handle(request: RequestOf<typeof changeRoles>, context: RequestContext): Promise<ReplyOf<typeof changeRoles>> {
    const roles = sorted(request.roles);
    return this.idempotency.once(changeRoles, request, context, (keyed) =>
      this.people.change(
        request.person,
        context,
        (person, { caller }) => {
          requireMayGive(caller, person, roles);
          const from = person.roles;
          if (roles.join() === from.join()) return undefined;
          person.roles = roles;
          return {
            events: [{ type: 'role.changed', data: { roles } }],
            action: 'role.change',
            changes: { roles: { from, to: roles } },
            endsTokens: losesOperations(from, roles),
          };
        },
        (person) => ({ user: toUser(person) }),
        keyed,
      ),
    );
  }
}

/** With fewer operations, tokens from before are refused; with more, the next token has them. */
function losesOperations(from: readonly Role[], to: readonly Role[]): boolean {
  const left = new Set(operationsOf(to));
  return (
    from.includes('owner') !== to.includes('owner') || operationsOf(from).some((operation) => !left.has(operation))
  );
}
