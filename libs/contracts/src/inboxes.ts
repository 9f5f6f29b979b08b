import { natsUsers, type BusUser } from './services.js';

/** Each NATS user has its own inbox, so that no user can read another's replies. */
export function inboxPrefix(user: BusUser): string {
  return `_INBOX_${user}`;
}

/** The user in whose inbox a subject is; undefined for any other subject. */
export function inboxOwner(subject: string): BusUser | undefined {
  return inboxOwners.get(subject.slice(0, subject.indexOf('.')));
}

const inboxOwners = new Map(natsUsers.map((user) => [inboxPrefix(user), user]));
