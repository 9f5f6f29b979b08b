import { isErasureEvent, type DirectoryEvent } from '@holdfast/contracts';
import type { SessionRevocation } from '../session-revocation.js';

/** Whom to check with directory: a person at one app or at all of theirs; everybody at an app or in an organization. */
export type AccessCheck = { org: string } & (
  { person: string; clientId?: string } | { person?: undefined; clientId?: string }
);

interface RevocationPlan {
  /** What the events revoke by themselves. */
  revocations: SessionRevocation[];
  /** Where an event says only that access may have ended. Directory knows, so late and repeated events do no harm. */
  checks: AccessCheck[];
}

/** Events after which every earlier sign-in of the person is invalid: `user.activated` follows a recovery as well. */
const ofPerson: readonly string[] = ['user.deactivated', 'user.activated'] satisfies DirectoryEvent['type'][];
const withCheck: readonly string[] = [
  'user.updated',
  'group.member_removed',
  'group.deleted',
  'assignment.ended',
] satisfies DirectoryEvent['type'][];
const ofErasure: readonly string[] = ['user.erasure_started', 'user.removed'] satisfies DirectoryEvent['type'][];

/** Whether an event of this type can revoke sessions of people. */
export function revokesSessionsOfPeople(type: string): boolean {
  return ofPerson.includes(type) || withCheck.includes(type) || ofErasure.includes(type);
}

/** What events of directory revoke, and what has to be checked (docs/adr/0038-sign-in-of-people.md). */
export function planOf(events: readonly DirectoryEvent[]): RevocationPlan {
  const revocations = events.flatMap((event): SessionRevocation[] => {
    const { org, user, version, occurredAt: at } = event;
    const erased = isErasureEvent(event);
    return user !== undefined && (erased || ofPerson.includes(event.type))
      ? [{ org, subject: user, version, erased, at }]
      : [];
  });
  const checks = events.filter(({ type }) => withCheck.includes(type)).map(checkOf);
  return { revocations, checks: withoutCovered(checks) };
}

/** A deleted group may have been assigned to any app, and its assignments are gone. */
function checkOf({ type, org, user, app, data }: DirectoryEvent): AccessCheck {
  const person = user ?? textIn(data?.user);
  const clientId = type === 'assignment.ended' ? (app ?? textIn(data?.app)) : undefined;
  if (person !== undefined) return { org, person, ...(clientId !== undefined && { clientId }) };
  return { org, ...(clientId !== undefined && { clientId }) };
}

/** Without checks that another one includes, so that a batch of events leads to few queries. */
function withoutCovered(checks: readonly AccessCheck[]): AccessCheck[] {
  const distinct = [...new Map(checks.map((check) => [keyOf(check), check])).values()];
  const keys = new Set(distinct.map(keyOf));
  const has = (check: AccessCheck) => keys.has(keyOf(check));
  return distinct.filter(({ org, person, clientId }) => {
    if (person === undefined && clientId === undefined) return true;
    if (has({ org })) return false;
    if (person === undefined || clientId === undefined) return true;
    return !has({ org, clientId }) && !has({ org, person });
  });
}

function keyOf({ org, person = '', clientId = '' }: AccessCheck): string {
  return `${org} ${person} ${clientId}`;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
