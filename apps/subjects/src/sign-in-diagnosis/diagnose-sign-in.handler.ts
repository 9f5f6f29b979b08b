import { Controller, Inject } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import {
  diagnoseSignIn,
  listSignInAttempts,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { AppError, CLOCK, customerKey, type Clock } from '@holdfast/platform';
import { Freshness } from '../subject/freshness.js';
import { SubjectReads } from '../subject/subject-reads.js';
import { formForPeople } from '../subject/subject.js';
import { diagnosisOf } from './diagnosis.js';

/** GET …/credentials/subjects/{subject}/sign-in-diagnosis, and `holdfast explain`. For people and the operator. */
@Controller()
export class DiagnoseSignInHandler {
  constructor(
    private readonly subjects: SubjectReads,
    private readonly freshness: Freshness,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(diagnoseSignIn)
  async diagnose(
    { subject }: RequestOf<typeof diagnoseSignIn>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof diagnoseSignIn>> {
    const { org } = context;
    const key = { org, key: customerKey(org, subject), app: undefined };
    const { state } = await this.freshness.read(org, () => this.subjects.find(key));
    if (!state) throw new AppError('unknown_subject');
    await recordReadOfOperator(this.bus, context, 'subject.diagnose', [
      { type: 'customer', id: subject, dataSubject: subject },
    ]);
    const { items } = await this.bus.request(listSignInAttempts, { subject }, context);
    const now = this.clock.now();
    return diagnosisOf(formForPeople(state, now), items, now);
  }
}
