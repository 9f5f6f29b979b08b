import { Controller } from '@nestjs/common';
import { getSubject, type ReplyOf, type RequestContext, type RequestOf, type SubjectState } from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, customerKey } from '@holdfast/platform';
import { behind, Freshness } from './freshness.js';
import { fullForm } from './subject.js';

const byKey = statement(
  'subject_get',
  `SELECT (SELECT state FROM subject WHERE key = $2 AND org = $1 AND app = $3) AS state, ${behind}`,
);

/** GET …/credentials/subjects/{subject} (specification §4.3). */
@Controller()
export class GetSubjectHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly freshness: Freshness,
  ) {}

  @Handles(getSubject)
  async getSubject(
    { subject }: RequestOf<typeof getSubject>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof getSubject>> {
    const values = [org, customerKey(org, subject), actor.id];
    const { state } = await this.freshness.read(org, async () => {
      const [row] = await this.database.rows<{ state: SubjectState | null; behind: boolean }>(byKey, values);
      return row!;
    });
    // An app must not learn whether a customer of another app exists, so both cases have the same response
    // (specification §2.5).
    if (!state) throw new AppError('unknown_subject');
    return fullForm(state);
  }
}
