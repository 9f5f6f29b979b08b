import type { Subject, SubjectState, SubjectSummary } from '@holdfast/contracts';

/** Whether the customer has ever claimed a credential. */
export function isClaimed({ credentials }: SubjectState): boolean {
  return credentials.some((c) => c.holderClaimedAt !== undefined);
}

export function fullForm(state: SubjectState): Subject {
  return { subject: state.subject, claimed: isClaimed(state), credentials: state.credentials };
}

/** What people see besides, who see the customers of every app. */
export function formForPeople(state: SubjectState, now: Date): Subject {
  const offers = openOffersOf(state, now).map(({ id, credentialId, createdAt, expiresAt }) => ({
    offerId: id,
    credentialId,
    createdAt,
    expiresAt,
  }));
  return { ...fullForm(state), app: state.app, offers };
}

function openOffersOf({ offers }: SubjectState, now: Date): SubjectState['offers'] {
  // Times are RFC 3339 in UTC with milliseconds: they compare as text.
  const time = now.toISOString();
  return offers.filter((o) => o.status === 'open' && o.expiresAt > time);
}

/** Counts at the time of reading, so that the counts are right at the second of an expiration (product §5). */
export function summaryForm(state: SubjectState, now: Date, withApp = false): SubjectSummary {
  const time = now.toISOString();
  const { credentials } = state;
  const lastIssuedAt = credentials.reduce<string | undefined>(
    (last, { holderClaimedAt: at }) => (at && (!last || at > last) ? at : last),
    undefined,
  );
  return {
    subject: state.subject,
    claimed: isClaimed(state),
    ...(withApp && { app: state.app }),
    credentials: credentials.length,
    live: credentials.filter((c) => c.status === 'issued' && (!c.expiresAt || c.expiresAt > time)).length,
    openOffers: openOffersOf(state, now).length,
    ...(lastIssuedAt && { lastIssuedAt }),
    createdAt: state.createdAt,
  };
}
