import { z } from 'zod';
import {
  eventTypes,
  maxEventsPerMessage,
  publicEventSchema,
  publicEventTypes,
  streams,
  type EventType,
} from '@holdfast/contracts';
import { code, codes, page, table } from './markdown.ts';
import { fieldTable } from './schema.ts';

export function eventsPage(): string {
  const types = Object.entries(eventTypes).map(([name, { producer, description, data }]) => [
    code(name),
    description,
    producer,
    // The feed's own events are in no stream.
    Object.values(streams).some((s) => s.producer === producer) ? code(`evt.${producer}.${name}`) : '',
    data ? 'yes' : 'no',
  ]);
  return page(
    'Events',
    'libs/contracts/src/events/event-types.ts, events.ts and signals.ts',
    table(['Event', 'Meaning', 'Producer', 'NATS subject', 'In the feed'], types),
    '## Public events',
    'Organizations read them from the [event feed](../events.md). They contain ids and states, never a name or an ' +
      'address. New types and new members of `data` may be added; existing ones keep their meaning.',
    fieldTable(publicEventSchema, 'data'),
    ...publicEventTypes.flatMap(publicEvent),
    '## Domain events',
    'Services publish them for each other. An event contains the whole public state of its customer, app or ' +
      'organization, with a version. It may arrive late, twice or out of order: consumers keep the newest version. ' +
      'The member `audit` is described in [actions.md](actions.md).',
    `A message is one event, or, on some subjects, an array of up to ${maxEventsPerMessage} ` +
      '([0061](../adr/0061-several-events-in-a-message.md)).',
    ...Object.values(streams).flatMap((stream) => [
      `Stream ${code(stream.name)}, subjects ${codes(stream.subjects)}; consumed by ${stream.consumers.join(', ')}` +
        (stream.batchedSubjects.length > 0 ? `; several events in a message: ${codes(stream.batchedSubjects)}.` : '.'),
      ...kinds(stream.event).map((kind) => fieldTable(kind, 'audit')),
    ]),
  );
}

function publicEvent(type: EventType, index: number): string[] {
  const { description, data } = eventTypes[type] as { description: string; data: z.ZodObject };
  const example = {
    id: `019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d${String(index).padStart(2, '0')}`,
    type,
    occurredAt: '2026-11-21T09:30:00.000Z',
    version: 3,
    data: exampleOf(data),
  };
  return [
    `### ${type}`,
    `${description}. \`data\`:`,
    fieldTable(data),
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
  ];
}

/** A stream of several kinds of events has a table of each. */
function kinds(schema: z.ZodType): z.ZodType[] {
  return schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]) : [schema];
}

const values: Record<string, unknown> = {
  subject: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
  credentialId: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
  offerId: '019aa5f2-7c1e-7e31-a0b2-1c9d8e7f6a02',
  credentialType: 'customer',
  expiresAt: '2027-11-21T09:30:00.000Z',
  app: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya',
  user: '0f8c2c43-5d8e-4a43-9f0b-8f7c2d1e6b54',
  group: '019aa5f2-7c1e-7f42-b1c3-2d0e9f8a6b03',
  roles: ['auditor'],
  assignment: '019aa5f2-7c1e-7053-82d4-3e1fa09b6c04',
  export: '019aa5f2-7c1f-7d10-8c3e-5a6b7c8d9e01',
  destination: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  failingSince: '2026-11-21T09:30:00.000Z',
  accessRequest: '019aa5f2-7c1e-7164-93e5-4f20b1ac6d05',
};

/**
 * An enumeration is shown by its first value. An assignment is that of a person or of a group, never of both.
 * @throws when there is no example value for a member of the schema: the page would show an event that is never sent
 */
function exampleOf({ shape }: z.ZodObject): unknown {
  const names = Object.keys(shape).filter((name) => !(name === 'group' && 'assignment' in shape));
  const example = names.map((name) => {
    const member = shape[name] as z.ZodType;
    return [name, member instanceof z.ZodEnum ? member.options[0] : member.parse(values[name])];
  });
  return Object.fromEntries(example);
}
