import { streams } from '@holdfast/contracts';
import { Bus, EventConsumer, Shutdown } from '@holdfast/bus';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EndedCustomers } from './ended-customers.js';

/** Listens for customers whose state must go. That they are refused does not depend on it: issuance is asked each time. */
@Injectable()
export class EndedCustomersConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly ended: EndedCustomers,
    private readonly bus: Bus,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    const consumer = new EventConsumer(streams.issuance, 'auth', this.bus.connection, (events) => this.ended.apply(events));
    consumer.start();
    this.shutdown.before(() => consumer.stop());
  }
}
