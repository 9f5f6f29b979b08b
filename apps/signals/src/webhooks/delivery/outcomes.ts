import { Injectable, Logger } from '@nestjs/common';
import { Batcher, halvesOf, LogBudget } from '@holdfast/platform';
import { EndpointDisabling } from '../endpoint-disabling.js';
import type { Outcome } from './claim.js';
import { WebhookDeliveries } from './deliveries.js';

interface Waiting {
  outcome: Outcome;
  done: () => void;
}

/** Stores outcomes, those that come together in one statement. */
@Injectable()
export class Outcomes {
  private readonly logger = new Logger('webhooks');
  private readonly failureLines = new LogBudget(1);
  private readonly batcher = new Batcher<Waiting>((batch) => this.write(batch), {
    maxItems: 200,
    maxInFlight: 2,
    slowAfterMs: 20,
  });

  constructor(
    private readonly deliveries: WebhookDeliveries,
    private readonly disabling: EndpointDisabling,
  ) {}

  /** Resolves when it is stored, or when it could not be: then the message is sent again after the lease. */
  store(outcome: Outcome): Promise<void> {
    return new Promise((done) => this.batcher.add({ outcome, done }));
  }

  private async write(batch: Waiting[]): Promise<void> {
    const outcomes = batch.map(({ outcome }) => outcome);
    try {
      await this.deliveries.store(outcomes);
    } catch (error) {
      const halves = halvesOf(batch, ({ outcome }) => outcome.claim.org);
      if (halves.length > 1) return void (await Promise.all(halves.map((half) => this.write(half))));
      if (this.failureLines.take())
        this.logger.warn(`An attempt was not stored, and the message is sent again: ${String(error)}`);
    }
    for (const { done } of batch) done();
    const gone = outcomes.filter(({ status }) => status === 410).map(({ claim }) => claim.endpoint);
    for (const endpoint of new Set(gone)) await this.disabling.disableGone(endpoint);
  }
}
