import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { streams } from '@holdfast/contracts';
import { Bus, EventConsumer } from '@holdfast/messaging';
import { Shutdown } from '@holdfast/service';
import { revokesSessions } from './session-revocation.js';
import { SessionRevocations } from './session-revocations.js';

/**
 * Consumes the state transitions that revoke sessions. Refusing the customer does not depend on it: auth queries
 * issuance each time.
 */
@Injectable()
export class SessionRevocationsConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly revocations: SessionRevocations,
    private readonly bus: Bus,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    const consumer = new EventConsumer(streams.issuance, 'auth', this.bus, (events) => this.revocations.apply(events), {
      wants: revokesSessions,
    });
    consumer.start();
    this.shutdown.before(() => consumer.stop());
  }
}
