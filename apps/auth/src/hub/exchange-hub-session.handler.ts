import { Controller } from '@nestjs/common';
import { exchangeHubSession, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { HubSessions } from './hub-sessions.js';
import { PeopleOfHub } from './people-of-hub.js';
import { PersonTokens } from './person-tokens.js';

const ended = { state: 'ended' } as const;

@Controller()
export class ExchangeHubSessionHandler {
  constructor(
    private readonly sessions: HubSessions,
    private readonly people: PeopleOfHub,
    private readonly tokens: PersonTokens,
  ) {}

  @Handles(exchangeHubSession)
  async handle(
    { session }: RequestOf<typeof exchangeHubSession>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof exchangeHubSession>> {
    const { org } = context;
    const found = await this.sessions.find(org, session);
    if (!found) return ended;
    const person = await this.people.find(org, found, context);
    if (!person) return ended;
    await this.sessions.extend(org, session, found);
    return { state: 'active', token: this.tokens.issue(org, found, person) };
  }
}
