import type { Command } from 'commander';
import { quarantines, type QuarantinedEvent } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { asOperator } from '../operator-session.js';
import { show, table } from '../output.js';

export function eventCommands(program: Command): void {
  const events = program.command('events').description('domain events that a service cannot apply');

  addCommand(events, 'quarantined', 'list the quarantined events: a service cannot apply them, and none is lost', [
    'events quarantined',
  ]).action(({ json }: Json) =>
    asOperator('events quarantined', async ({ request }) => {
      const replies = await Promise.all(
        Object.entries(quarantines).map(async ([producer, { list }]) => ({ producer, ...(await request(list, {})) })),
      );
      const found = replies.flatMap(({ producer, events: quarantined }) =>
        quarantined.map((event) => ({ producer, ...event })),
      );
      const count = replies.reduce((sum, reply) => sum + reply.count, 0);
      show({ events: found, count }, json, () => (count === 0 ? 'No event is quarantined.' : listing(found, count)));
    }),
  );

  addCommand(events, 'retry [event]', 'deliver a quarantined event again at once, or all of them', [
    'events retry',
    'events retry 0190a2c4-…',
  ]).action((event: string | undefined, { json }: Json) =>
    asOperator('events retry', async ({ request }) => {
      const replies = await Promise.all(
        Object.values(quarantines).map(({ retry }) => request(retry, event === undefined ? {} : { event })),
      );
      const retried = replies.reduce((sum, reply) => sum + reply.retried, 0);
      show({ retried }, json, () =>
        retried === 0
          ? 'Nothing was quarantined.'
          : `${retried} are delivered again. In a minute, "holdfast events quarantined" shows whether they were ` +
            'applied.',
      );
    }),
  );
}

function listing(events: (QuarantinedEvent & { producer: string })[], count: number): string {
  const rows = events.map(({ event, type, producer, consumer, reason, since, retryAt }) => [
    event,
    type,
    producer,
    consumer,
    since,
    retryAt,
    reason,
  ]);
  const more = count > events.length ? `\n… and ${count - events.length} more` : '';
  return `${table(['EVENT', 'TYPE', 'PRODUCER', 'NOT APPLIED BY', 'SINCE', 'NEXT TRY', 'WHY'], rows)}${more}`;
}
