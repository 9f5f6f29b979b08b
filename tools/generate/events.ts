import { eventTypes, streams } from '@holdfast/contracts';
import { code, codes, page, table } from './markdown.ts';
import { fieldTable } from './schema.ts';

export function eventsPage(): string {
  const types = Object.entries(eventTypes).map(([name, { by, says }]) => [code(name), says, by, code(`evt.${by}.${name}`)]);
  const payloads = Object.values(streams).flatMap((stream) => [
    `## Events of ${stream.producer}`,
    `Stream ${code(stream.name)}, subjects ${codes(stream.subjects)}; read by ${stream.consumers.join(' and ')}.`,
    fieldTable(stream.event, 'audit'),
  ]);
  return page(
    'Events',
    'libs/contracts/src/events.ts',
    'What the services tell each other. An event carries the whole public state of what it is about, with a version: ids and states, never a name or an address. It may come late, twice or out of order; whoever applies it takes what is newer. What `audit` holds is in [actions.md](actions.md).',
    table(['Event', 'Means', 'Told by', 'NATS subject'], types),
    ...payloads,
  );
}
