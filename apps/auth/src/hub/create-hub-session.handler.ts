import { Controller, Inject } from '@nestjs/common';
import { AuditWriter } from '@holdfast/audit-client';
import {
  createHubSession,
  hubClientId,
  hubRedirectUri,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { StateStore } from '../sessions/state-store.js';
import { belongsTo, type StoredCode } from './code-redemption.js';
import { HubSessions, type HubSession } from './hub-sessions.js';
import { PeopleOfHub } from './people-of-hub.js';

type Code = StoredCode & Pick<HubSession, 'acr' | 'amr' | 'grantId' | 'sessionUid'> & SignedInMembers;
type SignedInMembers = { accountId: string; authTime: number; version?: number };

const refused = { outcome: 'refused' } as const;

@Controller()
export class CreateHubSessionHandler {
  constructor(
    private readonly store: StateStore,
    private readonly sessions: HubSessions,
    private readonly people: PeopleOfHub,
    private readonly audit: AuditWriter,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(createHubSession)
  async handle(
    input: RequestOf<typeof createHubSession>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createHubSession>> {
    const { org } = context;
    const code = await this.redeem(org, input);
    if (!code) return refused;
    const signIn = signInOf(code);
    if (!(await this.people.find(org, signIn, context))) return refused;
    const created = await this.sessions.create(org, input.session, signIn);
    if (!created) return refused;
    // The id of the session changes with each sign-in, so that nobody can prepare one for another person.
    if (input.replaces !== undefined) await this.sessions.delete(org, input.replaces);
    // The browser gets the session when the record is in the log, and not otherwise.
    await this.audit.append(org, this.recordOf(signIn.person, context));
    return { outcome: 'signed_in', ...created };
  }

  /** Consumes the code. A second use revokes what resulted from the first, since somebody else may have the code. */
  private async redeem(org: string, input: RequestOf<typeof createHubSession>): Promise<Code | undefined> {
    const code = (await this.store.find(org, 'AuthorizationCode', input.code)) as Code | undefined;
    const { codeVerifier, nonce } = input;
    const clientId = hubClientId(org);
    const redirectUri = hubRedirectUri(this.config.BASE_URL, org);
    if (!code || !belongsTo(code, { clientId, redirectUri, codeVerifier, nonce })) return undefined;
    return (await this.store.consume(org, 'AuthorizationCode', input.code)) === 'consumed' ? code : undefined;
  }

  private recordOf(person: string, context: RequestContext) {
    return auditRecord({ ...context, actor: { type: 'person', id: person } }, this.clock.now(), {
      action: 'user.token',
      targets: [
        { type: 'person', id: person, dataSubject: person },
        { type: 'app', id: hubClientId(context.org) },
      ],
      outcome: { result: 'success', status: 303 },
    });
  }
}

function signInOf({ accountId, authTime, version = 0, acr, amr, grantId, sessionUid }: Code) {
  return {
    person: accountId,
    version,
    authTime,
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr }),
    grantId,
    ...(sessionUid !== undefined && { sessionUid }),
  };
}
