import { actions, auditEventSchema, retentionOf, retentions, type Action } from '@holdfast/contracts';
import { code, page, table } from './markdown.ts';
import { fieldTable } from './schema.ts';

export function actionsPage(): string {
  return page(
    'Actions of the audit log',
    'libs/contracts/src/audit/audit-record.ts',
    'Every action of every caller has one record, refusals and failures included; `outcome` tells which. Callers whose token was refused are counted, and so is what anybody may look at without being known (claim links, challenges): one record per minute, with `outcome.count`.',
    table(
      ['Action', 'Means', 'Retention'],
      Object.entries(actions).map(([name, says]) => [code(name), says, retentionOf(name as Action)]),
    ),
    '## How long',
    table(
      ['Retention', 'Months', 'What'],
      Object.entries(retentions).map(([name, { months, description }]) => [
        name,
        months === undefined ? 'for ever' : String(months),
        description,
      ]),
    ),
    '## A record, as it is read back',
    fieldTable(auditEventSchema),
  );
}
