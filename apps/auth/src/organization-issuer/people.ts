import { Injectable } from '@nestjs/common';
import { personAccess, type ReplyOf, type RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { asUnavailable } from '../temporarily-unavailable.js';

export type PersonAccess = ReplyOf<typeof personAccess>;
export type AssignedPerson = Extract<PersonAccess, { state: 'assigned' }>;

/** Queries directory what a person may do in an app. Not cached, so that an ended assignment takes effect at once. */
@Injectable()
export class People {
  constructor(private readonly bus: Bus) {}

  /** @throws TemporarilyUnavailable */
  async access(person: string, clientId: string, context: RequestContext): Promise<PersonAccess> {
    try {
      return await this.bus.request(personAccess, { person, clientId }, context);
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
