import { Injectable } from '@nestjs/common';
import { customerStatus, type ReplyOf, type RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { asUnavailable } from '../temporarily-unavailable.js';

export type Live = Extract<ReplyOf<typeof customerStatus>, { state: 'live' }>;

/** What issuance says of a customer at this moment; nothing is kept, so that an end is an end at once (product §5). */
@Injectable()
export class Customers {
  constructor(private readonly bus: Bus) {}

  /**
   * The live credential of the wanted type, or undefined: erased, never known, suspended, revoked, expired, of another
   * type.
   */
  async live(subject: string, credentialType: string | undefined, context: RequestContext): Promise<Live | undefined> {
    try {
      const status = await this.bus.request(
        customerStatus,
        { subject, ...(credentialType && { credentialType }) },
        context,
      );
      return status.state === 'live' ? status : undefined;
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
