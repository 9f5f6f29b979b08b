import { Injectable } from '@nestjs/common';
import { hubClientId, personAccess, type ReplyOf, type RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { ClientRegistry } from '../clients/client-registry.js';

export type ActivePerson = Extract<ReplyOf<typeof personAccess>, { state: 'assigned' }>;

/** Asks directory whether a person may use the hub, each time: nothing of it is cached. */
@Injectable()
export class PeopleOfHub {
  constructor(
    private readonly bus: Bus,
    private readonly clients: ClientRegistry,
  ) {}

  /**
   * Undefined when the person was deactivated or removed, their sign-in at that version no longer counts, or the
   * organization is suspended. @throws unavailable
   */
  async find(
    org: string,
    { person, version }: { person: string; version: number },
    context: RequestContext,
  ): Promise<ActivePerson | undefined> {
    const clientId = hubClientId(org);
    const client = await this.clients.find(clientId);
    if (!client || client.refused || client.app.org !== org) return undefined;
    const access = await this.bus.request(personAccess, { person, clientId }, context);
    return access.state === 'assigned' && version >= access.since ? access : undefined;
  }
}
