import { Controller, Inject } from '@nestjs/common';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import {
  accountInteraction,
  completeSignIn,
  createAccountSession,
  type Action,
  type AuditRecord,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { auditRecord, CLOCK, networkOf, newId, type Clock } from '@holdfast/platform';
import { AccountSessions } from './account-sessions.js';

type Reply = ReplyOf<typeof createAccountSession>;

/** A sign-in with a passkey to the account page. It signs in no app, and continues no session of one. */
@Controller()
export class CreateAccountSessionHandler {
  constructor(
    private readonly bus: Bus,
    private readonly sessions: AccountSessions,
    private readonly audit: AuditWriter,
    private readonly deniedRequests: DeniedRequestCounter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(createAccountSession)
  async handle(
    { response, relyingParty, ...key }: RequestOf<typeof createAccountSession>,
    context: RequestContext,
  ): Promise<Reply> {
    const { org } = context;
    const interaction = accountInteraction(key.browser);
    const signIn = { interaction, response, anyType: true as const, ...(relyingParty && { relyingParty }) };
    const result = await this.bus.request(completeSignIn, signIn, context);
    if (result.outcome === 'refused') {
      const { reason, removed, subject } = result;
      await this.recordDenied(context, subject, reason);
      return { outcome: 'refused', reason, ...(removed && { removed }) };
    }
    const { subject, passkey, version = 0, counterWentBack } = result;
    if (passkey === undefined || !(await this.sessions.create(org, key, { subject, passkey, version })))
      return { outcome: 'refused', reason: 'unknown_passkey' };
    if (counterWentBack) await this.record(context, subject, 'passkey.counter_went_back');
    // The page gets the session when the record is in the log, and not otherwise.
    await this.record(context, subject, 'account.sign_in');
    return { outcome: 'signed_in' };
  }

  /** Counted while no passkey has identified a customer: otherwise anybody could fill the log. */
  private async recordDenied(context: RequestContext, subject: string | undefined, code: string): Promise<void> {
    if (subject !== undefined) return this.record(context, subject, 'account.sign_in', code);
    const { address = '', userAgent: _, ...request } = context.request;
    const { id: _id, ...record } = auditRecord({ ...context, request }, this.clock.now(), {
      action: 'account.sign_in',
      targets: [],
      outcome: { result: 'denied', status: 200, code },
    });
    await this.deniedRequests.count(context.org, record, networkOf(address));
  }

  private record(context: RequestContext, subject: string, action: Action, code?: string): Promise<void> {
    return this.audit.append(context.org, this.recordOf(context, subject, action, code));
  }

  private recordOf(context: RequestContext, subject: string, action: Action, code?: string): AuditRecord {
    const record = auditRecord({ ...context, actor: { type: 'customer', id: subject } }, this.clock.now(), {
      action,
      targets: [{ type: 'customer', id: subject, dataSubject: subject }],
      outcome: code === undefined ? { result: 'success', status: 200 } : { result: 'denied', status: 200, code },
    });
    return action === 'account.sign_in' ? record : { ...record, id: newId() };
  }
}
