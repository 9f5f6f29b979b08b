import { Controller } from '@nestjs/common';
import {
  endCustomerSessions,
  listCustomerSessions,
  requireCustomer,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { CustomerSessions, customerTarget } from './customer-sessions.js';

/** GET and DELETE …/subjects/{subject}/sessions, for the app that has made the customer offers. */
@Controller()
export class CustomerSessionsHandler {
  constructor(
    private readonly bus: Bus,
    private readonly sessions: CustomerSessions,
  ) {}

  @Handles(listCustomerSessions)
  async list(
    { subject }: RequestOf<typeof listCustomerSessions>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listCustomerSessions>> {
    await this.bus.request(requireCustomer, { subject }, context);
    return { items: await this.sessions.list(context.org, subject) };
  }

  @Handles(endCustomerSessions)
  async end(
    { subject }: RequestOf<typeof endCustomerSessions>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof endCustomerSessions>> {
    await this.bus.request(requireCustomer, { subject }, context);
    return { changed: await this.sessions.end(context, customerTarget(subject)) };
  }
}
