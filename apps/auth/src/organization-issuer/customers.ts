import { Injectable } from '@nestjs/common';
import { customerStatus, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { asUnavailable } from '../temporarily-unavailable.js';

export type LiveCustomer = Extract<ReplyOf<typeof customerStatus>, { state: 'live' }>;

/** Queries issuance for the status of a customer. Not cached, so that an erasure takes effect at once (product §5). */
@Injectable()
export class Customers {
  constructor(private readonly bus: Bus) {}

  /**
   * The customer with their live credential of this type. Undefined when they are unknown or erased, or have no live
   * credential of this type.
   * @throws TemporarilyUnavailable
   */
  async findLive(signIn: RequestOf<typeof customerStatus>, context: RequestContext): Promise<LiveCustomer | undefined> {
    try {
      const status = await this.bus.request(customerStatus, signIn, context);
      return status.state === 'live' ? status : undefined;
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
