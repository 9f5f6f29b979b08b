import { Injectable } from '@nestjs/common';
import { streams, type IssuanceEvent } from '@holdfast/contracts';
import { Consumes } from '@holdfast/messaging';
import { SessionRevocations } from './session-revocations.js';

/**
 * Consumes the state transitions that revoke sessions. Refusing the customer does not depend on it: auth queries
 * issuance each time.
 */
@Injectable()
export class SessionRevocationsConsumer {
  constructor(private readonly revocations: SessionRevocations) {}

  @Consumes(streams.issuance)
  async apply(events: IssuanceEvent[]): Promise<void> {
    await this.revocations.apply(events);
  }
}
