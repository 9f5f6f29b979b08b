import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  beginPersonSignIn,
  completePersonSignIn,
  peopleWithAccess,
  personAccess,
  type DirectoryEvent,
  type EventType,
  type ReplyOf,
  type RequestOf,
  type Role,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

interface StubPerson {
  org: string;
  state: 'active' | 'deactivated' | 'unknown';
  email: string;
  name: string;
  groups: string[];
  /** Client IDs of the apps that the person is assigned to. */
  apps: Set<string>;
  roles?: Role[];
  version: number;
  since: number;
}

/** The people of the stub of directory. Tests change them. */
export const people = new Map<string, StubPerson>();
/** Sign-ins with a challenge that is not consumed yet. */
const begun = new Set<string>();

/** Registers an active person who is assigned to these apps. */
export function newPerson(apps: readonly { clientId: string }[] = [], changes: Partial<StubPerson> = {}): string {
  const id = randomUUID();
  people.set(id, {
    org: 'acme',
    state: 'active',
    email: `${id.slice(0, 8)}@acme.example`,
    name: `Person ${id.slice(0, 8)}`,
    groups: ['Finance', 'Staff'],
    apps: new Set(apps.map(({ clientId }) => clientId)),
    version: 2,
    since: 0,
    ...changes,
  });
  return id;
}

/** An event of directory in acme. */
export function directoryEvent(type: EventType, changes: Partial<DirectoryEvent> = {}): DirectoryEvent {
  return {
    id: randomUUID(),
    type,
    occurredAt: new Date().toISOString(),
    org: 'acme',
    version: 9,
    requestId: 'r',
    traceparent: 't',
    ...changes,
  } as DirectoryEvent;
}

/** What directory replies about a person of this organization. */
function accessOf(id: string, clientId: string, org: string): ReplyOf<typeof personAccess> {
  const person = people.get(id);
  if (!person || person.state === 'unknown' || person.org !== org) return { state: 'unknown' };
  if (person.state === 'deactivated') return { state: 'deactivated' };
  if (!person.apps.has(clientId)) return { state: 'not_assigned' };
  const { email, name, groups, roles = [], version, since } = person;
  return { state: 'assigned', email, name, groups, roles, version, since };
}

@Controller()
export class DirectoryPeople {
  @Handles(beginPersonSignIn)
  async begin({ interaction }: RequestOf<typeof beginPersonSignIn>): Promise<ReplyOf<typeof beginPersonSignIn>> {
    begun.add(interaction);
    return { options: { challenge: 'person' } };
  }

  @Handles(completePersonSignIn)
  async complete(
    { interaction, clientId, response }: RequestOf<typeof completePersonSignIn>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof completePersonSignIn>> {
    if (!begun.delete(interaction)) throw new AppError('ceremony_expired');
    const person = String(response.as);
    const { state } = accessOf(person, clientId, org);
    if (state === 'unknown') return { outcome: 'refused', reason: 'unknown_passkey' };
    if (state !== 'assigned') return { outcome: 'refused', reason: state, person };
    return { outcome: 'signed_in', person, version: people.get(person)!.version, deviceBound: false };
  }

  @Handles(personAccess)
  async access(
    { person, clientId }: RequestOf<typeof personAccess>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof personAccess>> {
    return accessOf(person, clientId, org);
  }

  @Handles(peopleWithAccess)
  async withAccess(
    { people: given, clientId }: RequestOf<typeof peopleWithAccess>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof peopleWithAccess>> {
    return { people: given.filter((person) => accessOf(person, clientId, org).state === 'assigned') };
  }
}
