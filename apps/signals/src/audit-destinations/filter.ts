import type { AuditEvent, DestinationFilter } from '@holdfast/contracts';

/** Whether a destination gets an entry. Without a filter it gets all. */
export function matches(
  filter: DestinationFilter | null,
  { action, outcome }: Pick<AuditEvent, 'action' | 'outcome'>,
): boolean {
  const { actions, outcomes } = filter ?? {};
  if (outcomes && !outcomes.includes(outcome.result)) return false;
  // `app.*` begins with `app.`, so that it does not stand for `app_key.create`.
  const isWanted = (wanted: string) =>
    wanted.endsWith('.*') ? action.startsWith(wanted.slice(0, -1)) : action === wanted;
  return !actions || actions.some(isWanted);
}
