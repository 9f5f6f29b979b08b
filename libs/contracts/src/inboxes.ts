import { natsUsers, type BusUser } from './services.js';

/** Each user has an inbox of its own, so that no user reads another's replies. */
export function inboxPrefix(user: BusUser): string {
  return `_INBOX_${user}`;
}

/** Whose inbox a subject is in; undefined for any other subject. */
export function inboxOwner(subject: string): BusUser | undefined {
  return inboxOwners.get(subject.slice(0, subject.indexOf('.')));
}

const inboxOwners = new Map(natsUsers.map((user) => [inboxPrefix(user), user]));
