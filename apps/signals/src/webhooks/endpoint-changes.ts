import type { AuditRecord } from '@holdfast/contracts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that differ, for the audit record; undefined when none does. */
export function changesOf(before: Fields, after: Fields): AuditRecord['changes'] {
  const isPresent = (value: unknown) =>
    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  const fields = Object.keys(after).filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  const changes = fields.flatMap((name) => {
    const [from, to] = [before[name], after[name]];
    const change = { ...(isPresent(from) && { from }), ...(isPresent(to) && { to }) };
    return Object.keys(change).length === 0 ? [] : [[name, change] as const];
  });
  return changes.length === 0 ? undefined : (Object.fromEntries(changes) as AuditRecord['changes']);
}
