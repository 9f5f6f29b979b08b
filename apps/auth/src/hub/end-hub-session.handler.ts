import { Controller, Inject } from '@nestjs/common';
import {
  endHubSession,
  hubClientId,
  type AuditRecord,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { HubSessions } from './hub-sessions.js';

@Controller()
export class EndHubSessionHandler {
  constructor(
    private readonly sessions: HubSessions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(endHubSession)
  async handle(
    { session }: RequestOf<typeof endHubSession>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof endHubSession>> {
    const found = await this.sessions.find(context.org, session);
    if (!found) return { ended: false };
    return { ended: await this.sessions.end(context.org, session, found, this.recordOf(found.person, context)) };
  }

  private recordOf(person: string, context: RequestContext): AuditRecord {
    return auditRecord({ ...context, actor: { type: 'person', id: person } }, this.clock.now(), {
      action: 'user.sign_out',
      targets: [
        { type: 'person', id: person, dataSubject: person },
        { type: 'app', id: hubClientId(context.org) },
      ],
      outcome: { result: 'success', status: 204 },
    });
  }
}
