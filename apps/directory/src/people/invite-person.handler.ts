import { Controller, Inject } from '@nestjs/common';
import { invitePerson, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { UserHandles } from '@holdfast/passkeys';
import { CLOCK, newOpaqueId, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { InvitationLinks } from './invitations/links.js';
import { People } from './people.js';
import { sorted, toUser, type Person } from './person.js';
import { requireMayGive, requireMayIssueLink } from './role-rules.js';

type Input = RequestOf<typeof invitePerson>;

/** Adds a person, who becomes active by accepting the link. */
@Controller()
export class InvitePersonHandler {
  private readonly handles: UserHandles;

  constructor(
    private readonly people: People,
    private readonly links: InvitationLinks,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.handles = new UserHandles(config, 'people');
  }

  @Handles(invitePerson)
  handle(request: Input, context: RequestContext): Promise<ReplyOf<typeof invitePerson>> {
    return this.idempotency.once(invitePerson, request, context, (keyed) => {
      const person = this.newPerson(request, context.org);
      return this.people.invite(
        context,
        person,
        async ({ sql, now, caller }) => {
          requireMayIssueLink(caller, { id: person.id, roles: [] });
          if (person.roles.length > 0) requireMayGive(caller, { id: person.id, roles: [] }, person.roles);
          const { expiresIn } = request;
          const invitationUrl = await this.links.issue(sql, person, context, {
            now,
            expiresIn,
            recovery: false,
          });
          return {
            change: {
              events: [{ type: 'user.invited' }],
              action: 'user.invite',
              changes: {
                status: { to: 'invited' },
                roles: { to: person.roles },
                expiresAt: { to: person.invitation!.expiresAt.toISOString() },
              },
            },
            reply: { user: toUser(person), invitationUrl },
          };
        },
        keyed,
      );
    });
  }

  private newPerson({ email, name, roles }: Input, org: string): Person {
    return {
      id: newOpaqueId(),
      org,
      status: 'invited',
      roles: sorted(roles),
      email,
      name,
      version: 1,
      userHandle: this.handles.create(org),
      createdAt: this.clock.now(),
    };
  }
}
