import { Controller, Inject } from '@nestjs/common';
import { customersVisibleTo, getSubject, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, CLOCK, customerKey, type Clock } from '@holdfast/platform';
import { Freshness } from './freshness.js';
import { SubjectReads } from './subject-reads.js';
import { formForPeople, fullForm } from './subject.js';

/** GET …/credentials/subjects/{subject} (specification §4.3). */
@Controller()
export class GetSubjectHandler {
  constructor(
    private readonly subjects: SubjectReads,
    private readonly freshness: Freshness,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(getSubject)
  async getSubject(
    { subject }: RequestOf<typeof getSubject>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof getSubject>> {
    const app = customersVisibleTo(actor);
    const key = { org, key: customerKey(org, subject), app };
    const { state } = await this.freshness.read(org, () => this.subjects.find(key));
    // An app must not learn whether a customer of another app exists, so both cases have the same response
    // (specification §2.5).
    if (!state) throw new AppError('unknown_subject');
    return app === undefined ? formForPeople(state, this.clock.now()) : fullForm(state);
  }
}
