import { Controller, Inject } from '@nestjs/common';
import { countDeniedRequests, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { DeniedRequestCounts, dueAt } from './denied-request-counts.js';

/** Stores the counts of denied requests of the current minute. */
@Controller()
export class CountDeniedRequestsHandler {
  constructor(
    private readonly counts: DeniedRequestCounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unavailable when the record of the minute may be appended already: the count would be lost */
  @Handles(countDeniedRequests)
  async handle({
    source,
    deniedRequests,
  }: RequestOf<typeof countDeniedRequests>): Promise<ReplyOf<typeof countDeniedRequests>> {
    if (deniedRequests.some(({ record }) => dueAt(record) <= this.clock.now()))
      throw unavailable('the minute of a denied request is over');
    await this.counts.store(source, deniedRequests);
    return {};
  }
}
