import { eventTypes, securityEvents, streamEvents, type SecurityEventName } from '@holdfast/contracts';
import { built } from './built.ts';
import { code, codes, page, table } from './markdown.ts';

type SecurityEventsOf = (event: object, issuer: string) => { uri: string }[];

const { securityEventsOf } = (await built('signals', 'ssf/security-events')) as { securityEventsOf: SecurityEventsOf };
const issuer = 'https://id.example/o/acme';
const ids = { subject: 'subject', user: 'user', credentialId: 'credential', credentialType: 'customer' };

/** What receivers of Shared Signals get, and which event of the feed each follows from: asked of the code itself. */
export function securityEventsPage(): string {
  const names = Object.entries(securityEvents).map(([name, { uri, audiences, description }]) => [
    code(name),
    description,
    codes(audiences),
    code(uri),
  ]);
  const rows = Object.keys(eventTypes).flatMap((type) => {
    const plain = followingFrom(type);
    const notes = notesOf(type, plain);
    return plain.length + notes.length === 0 ? [] : [[code(type), codes(plain), notes.join('; ')]];
  });
  const own = Object.entries(streamEvents).map(([name, uri]) => [code(name), code(uri)]);
  return page(
    'Security events',
    'libs/contracts/src/signals/security-events.ts and apps/signals/src/ssf/security-events.ts',
    'What the transmitter of an organization says to receivers ([shared-signals.md](../shared-signals.md)).',
    table(['Event', 'Meaning', 'Receivers for', 'URI'], names),
    '## From the feed',
    'Each follows from an [event of the feed](events.md), in this order, with the id of its audit record as `txn`.',
    table(['Event of the feed', 'Security events', 'Besides'], rows),
    '## About a stream',
    table(['Event', 'URI'], own),
  );
}

function followingFrom(type: string, cause: object = {}): SecurityEventName[] {
  const data = type.startsWith('user.') || type === 'role.changed' ? { user: ids.user, roles: [] } : ids;
  const found = securityEventsOf({ type, occurredAt: new Date(0), data, cause: { live: 2, ...cause } }, issuer);
  const nameOf = (wanted: string) =>
    (Object.keys(securityEvents) as SecurityEventName[]).find((name) => securityEvents[name].uri === wanted)!;
  return found.map(({ uri }) => nameOf(uri));
}

/** What follows besides, and when. */
function notesOf(type: string, plain: readonly SecurityEventName[]): string[] {
  const causes: [object, string][] = [
    [{ live: 0 }, 'when the customer has no live credential after it'],
    [{ live: 1 }, 'when it is the only live credential after it'],
    [{ compromised: true }, 'for the reason `compromised`'],
    [{ recovers: true }, 'when the customer holds the credential already'],
  ];
  return causes.flatMap(([cause, when]) => {
    const more = followingFrom(type, cause).filter((name) => !plain.includes(name));
    return more.length === 0 ? [] : [`${codes(more)} ${when}`];
  });
}
