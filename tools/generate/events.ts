import { z } from 'zod';
import {
  eventTypes,
  maxEventsPerMessage,
  publicEventSchema,
  publicEventTypes,
  sampleMessageOf,
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
    data: sampleMessageOf(type, '').data,
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
