import { isErasureEvent, type DirectoryEvent } from '@holdfast/contracts';
import type { SessionRevocation } from '../session-revocation.js';

/** Whom to check with directory: a person at one app or at all of theirs, or everybody at an app. */
export type AccessCheck = { org: string } & (
  { person: string; clientId?: string } | { person?: undefined; clientId: string }
);

interface RevocationPlan {
  /** What the events revoke by themselves. */
  revocations: SessionRevocation[];
  /** Where an event says only that access may have ended. Directory knows, so late and repeated events do no harm. */
  checks: AccessCheck[];
}

/** Events after which every earlier sign-in of the person is invalid: `user.activated` follows a recovery as well. */
const ofPerson: readonly string[] = ['user.deactivated', 'user.activated'] satisfies DirectoryEvent['type'][];
/** The deletion of a group needs no check: each of its assignments has ended with an event of its own. */
const withCheck: readonly string[] = [
  'user.updated',
  'group.member_removed',
  'assignment.ended',
] satisfies DirectoryEvent['type'][];

/**
 * What events of directory revoke, and what has to be checked (docs/adr/0038-sign-in-of-people.md). Of all
 * events, auth gets the types that can lead to either, and new organizations (`filters` in
 * libs/contracts/src/events/streams.ts).
 */
export function planOf(events: readonly DirectoryEvent[]): RevocationPlan {
  const revocations = events.flatMap((event): SessionRevocation[] => {
    const { org, user, version, occurredAt: at } = event;
    const erased = isErasureEvent(event);
    return user !== undefined && (erased || ofPerson.includes(event.type))
      ? [{ org, subject: user, version, erased, at }]
      : [];
  });
  const checks = events.filter(({ type }) => withCheck.includes(type)).flatMap(checkOf);
  return { revocations, checks: withoutCovered(checks) };
}

function checkOf({ type, org, user, app }: DirectoryEvent): AccessCheck[] {
  const clientId = type === 'assignment.ended' ? app : undefined;
  if (user !== undefined) return [{ org, person: user, ...(clientId !== undefined && { clientId }) }];
  return clientId === undefined ? [] : [{ org, clientId }];
}

/** Without checks that another one includes, so that a batch of events leads to few queries. */
function withoutCovered(checks: readonly AccessCheck[]): AccessCheck[] {
  const distinct = new Map(checks.map((check) => [keyOf(check), check]));
  return [...distinct.values()].filter(({ org, person, clientId }) => {
    if (person === undefined || clientId === undefined) return true;
    return !distinct.has(keyOf({ org, clientId })) && !distinct.has(keyOf({ org, person }));
  });
}

function keyOf({ org, person = '', clientId = '' }: { org: string; person?: string; clientId?: string }): string {
  return `${org} ${person} ${clientId}`;
}
