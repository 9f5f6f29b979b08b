import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { streams } from '@holdfast/contracts';
import { Bus, EventConsumer } from '@holdfast/messaging';
import { Shutdown } from '@holdfast/service';
import { endsSignIns } from './session-revocation.js';
import { Endings } from './session-revocations.js';

/**
 * Listens for customers and credentials whose sign-ins must go. That they are refused does not depend on it: issuance
 * is asked each time.
 */
@Injectable()
export class EndingsConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly endings: Endings,
    private readonly bus: Bus,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    const consumer = new EventConsumer(streams.issuance, 'auth', this.bus, (events) => this.endings.apply(events), {
      wants: endsSignIns,
    });
    consumer.start();
    this.shutdown.before(() => consumer.stop());
  }
}
