import type { Subject, SubjectState, SubjectSummary } from '@holdfast/contracts';

/** Whether the customer has ever claimed a credential. */
export function isClaimed({ credentials }: SubjectState): boolean {
  return credentials.some((c) => c.holderClaimedAt !== undefined);
}

/** @param withApp for callers who see the customers of every app */
export function fullForm(state: SubjectState, withApp = false): Subject {
  const { subject, app, credentials } = state;
  return { subject, claimed: isClaimed(state), ...(withApp && { app }), credentials };
}

/** Counts at the time of reading, so that the counts are right at the second of an expiration (product §5). */
export function summaryForm(state: SubjectState, now: Date, withApp = false): SubjectSummary {
  const time = now.toISOString();
  const { credentials, offers } = state;
  const lastIssuedAt = credentials.reduce<string | undefined>(
    (last, { holderClaimedAt: at }) => (at && (!last || at > last) ? at : last),
    undefined,
  );
  return {
    subject: state.subject,
    claimed: isClaimed(state),
    ...(withApp && { app: state.app }),
    credentials: credentials.length,
    // Times are RFC 3339 in UTC with milliseconds: they compare as text.
    live: credentials.filter((c) => c.status === 'issued' && (!c.expiresAt || c.expiresAt > time)).length,
    openOffers: offers.filter((o) => o.status === 'open' && o.expiresAt > time).length,
    ...(lastIssuedAt && { lastIssuedAt }),
    createdAt: state.createdAt,
  };
}
