import { Controller } from '@nestjs/common';
import {
  endAccountSession,
  endOwnSessions,
  findAccountSession,
  listOwnSessions,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AccountSessions } from './account-sessions.js';
import { CustomerSessions, customerTarget } from './customer-sessions.js';

/** Requests of an account page that is signed in. */
@Controller()
export class AccountSessionHandler {
  constructor(
    private readonly accounts: AccountSessions,
    private readonly sessions: CustomerSessions,
  ) {}

  @Handles(findAccountSession)
  find(
    key: RequestOf<typeof findAccountSession>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof findAccountSession>> {
    return this.accounts.find(org, key);
  }

  @Handles(endAccountSession)
  async end(
    key: RequestOf<typeof endAccountSession>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof endAccountSession>> {
    await this.accounts.find(org, key);
    await this.accounts.delete(org, key);
    return {};
  }

  @Handles(listOwnSessions)
  async list(
    key: RequestOf<typeof listOwnSessions>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listOwnSessions>> {
    const { subject } = await this.accounts.find(org, key);
    return { items: await this.sessions.list(org, subject) };
  }

  @Handles(endOwnSessions)
  async endSessions(
    { only, ...key }: RequestOf<typeof endOwnSessions>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof endOwnSessions>> {
    const { subject } = await this.accounts.find(context.org, key);
    const asCustomer: RequestContext = { ...context, actor: { type: 'customer', id: subject } };
    return { changed: await this.sessions.end(asCustomer, customerTarget(subject), only) };
  }
}
