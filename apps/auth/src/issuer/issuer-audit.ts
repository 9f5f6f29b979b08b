import { AuditWriter, RefusalCounter } from '@holdfast/bus';
import type { Action, Actor, AuditRecord, AuditTarget } from '@holdfast/contracts';
import { CLOCK, newId, type Clock } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { anonymous, tokenRequestOf, type TokenRequest } from '../provider/token-request.js';
import { isPublic } from './issuer-clients.js';

type Outcome = AuditRecord['outcome'];

/** What the organization's log says of sign-ins, sign-outs and tokens (product §7). Of what it must not say, it counts. */
@Injectable()
export class IssuerAudit {
  constructor(
    private readonly writer: AuditWriter,
    private readonly refusals: RefusalCounter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves when the answer may leave. */
  async record(ctx: KoaContextWithOIDC, org: string, signedIn: boolean): Promise<void> {
    const request = tokenRequestOf(ctx);
    const { route } = ctx.oidc;
    if (route === 'token') return this.recordToken(ctx, request, org);
    if (signedIn) return this.write(org, request, 'customer.sign_in', { result: 'success' }, customerOf(request));
    if (route.startsWith('end_session') && request.subject !== undefined && ctx.status === 303) {
      return this.write(org, request, 'customer.sign_out', { result: 'success' }, customerOf(request));
    }
    // A session whose customer may no longer sign in (here): they are known, and they are refused.
    const told = (ctx.oidc as { session?: { accountId?: string } }).session?.accountId;
    if (route === 'authorization' && request.subject !== undefined && told === request.subject && request.credential === undefined) {
      return this.write(org, request, 'customer.sign_in', { result: 'denied', code: 'no_live_credential' }, customerOf(request));
    }
  }

  /** Of a refusal on the sign-in page. Who has proved nothing is counted: otherwise anybody could fill the log. */
  async refuse(org: string, request: TokenRequest, code: string): Promise<void> {
    const outcome: Outcome = { result: 'denied', code };
    if (request.subject !== undefined) return this.write(org, request, 'customer.sign_in', outcome, customerOf(request));
    this.refusals.count(org, this.recordOf(request, 'customer.sign_in', outcome, anonymous));
  }

  private async recordToken(ctx: KoaContextWithOIDC, request: TokenRequest, org: string): Promise<void> {
    const { client, secretId } = request;
    if (!client) return;
    const { error } = (ctx.body ?? {}) as { error?: string };
    const { clientId, name } = client.app;
    const actor: Actor = { type: 'app', id: clientId, name };
    const { grant_type: grantType } = (ctx.oidc.params ?? {}) as { grant_type?: string };
    const outcome: Outcome = error ? { result: 'denied', status: ctx.status, code: error } : { result: 'success', status: ctx.status };
    const known = ['authorization_code', 'refresh_token'].find((g) => g === grantType);
    const record = { ...this.recordOf(request, 'customer.token', outcome, actor), ...(known && { changes: { grantType: { to: known } } }) };
    if (error && (isPublic(client.app) || secretId === undefined)) this.refusals.count(org, record);
    else await this.writer.append(org, { ...record, id: newId() });
  }

  private write(org: string, request: TokenRequest, action: Action, outcome: Outcome, actor: Actor): Promise<void> {
    return this.writer.append(org, { ...this.recordOf(request, action, outcome, actor), id: newId() });
  }

  private recordOf({ info, client, subject, credential }: TokenRequest, action: Action, outcome: Outcome, actor: Actor): Omit<AuditRecord, 'id'> {
    const targets: AuditTarget[] = [
      ...(client ? [{ type: 'app', id: client.app.clientId } as const] : []),
      ...(subject !== undefined && actor.type === 'app' ? [{ type: 'customer', id: subject, holder: subject } as const] : []),
      ...(subject !== undefined && credential !== undefined ? [{ type: 'credential', id: credential, holder: subject } as const] : []),
    ];
    return { occurredAt: this.clock.now().toISOString(), action, actor, targets, outcome, request: info };
  }
}

function customerOf({ subject }: TokenRequest): Actor {
  return subject === undefined ? anonymous : { type: 'customer', id: subject };
}
