import type { AuditEvent } from '@holdfast/contracts';

/** A value that a spreadsheet would take for a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r\n]/;

/** One cell (RFC 4180): always quoted. A leading apostrophe makes a spreadsheet show a formula as text. */
export function csvCell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

const columns: Record<string, (event: AuditEvent) => string | number | undefined> = {
  seq: ({ seq }) => seq,
  id: ({ id }) => id,
  occurredAt: ({ occurredAt }) => occurredAt,
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  actorPseudonym: ({ actor }) => actor.pseudonym,
  targetTypes: ({ targets }) => targets.map(({ type }) => type).join(' '),
  targetIds: ({ targets }) => targets.map(({ id }) => id).join(' '),
  targetPseudonyms: ({ targets }) => targets.flatMap(({ pseudonym }) => pseudonym ?? []).join(' '),
  outcome: ({ outcome }) => outcome.result,
  status: ({ outcome }) => outcome.status,
  code: ({ outcome }) => outcome.code,
  count: ({ outcome }) => outcome.count,
  replay: ({ outcome }) => (outcome.replay ? 'true' : undefined),
  requestId: ({ request }) => request.id,
  traceparent: ({ request }) => request.traceparent,
  method: ({ request }) => request.method,
  route: ({ request }) => request.route,
  address: ({ request }) => request.address,
  userAgent: ({ request }) => request.userAgent,
  changes: ({ changes }) => (changes ? JSON.stringify(changes) : undefined),
};

const row = (cells: string[]) => `${cells.map(csvCell).join(',')}\r\n`;

export const csvHeader = row(Object.keys(columns));

export function csvRow(event: AuditEvent): string {
  return row(Object.values(columns).map((of) => String(of(event) ?? '')));
}
