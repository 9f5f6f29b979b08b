import { actions, auditEventSchema, retentionOf, retentions, type Action } from '@holdfast/contracts';
import { code, page, table } from './markdown.ts';
import { fieldTable } from './schema.ts';

export function actionsPage(): string {
  return page(
    'Actions of the audit log',
    'libs/contracts/src/audit/actions.ts',
    'Every request of every caller has one record, also when it is denied or fails; `outcome` has the result. ' +
      'Requests with an invalid token and public reads (claim links, challenges) are counted: one record per ' +
      'minute, with `outcome.count`.',
    table(
      ['Action', 'Means', 'Retention'],
      Object.entries(actions).map(([name, description]) => [code(name), description, retentionOf(name as Action)]),
    ),
    '## Retention',
    table(
      ['Retention', 'Months', 'What'],
      Object.entries(retentions).map(([name, { months, description }]) => [
        name,
        months === undefined ? 'for ever' : String(months),
        description,
      ]),
    ),
    '## A record as the API returns it',
    fieldTable(auditEventSchema),
  );
}
