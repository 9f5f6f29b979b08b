import type { Command } from 'commander';
import { declareStreams } from '@holdfast/messaging/client';
import { connected } from '../house.js';
import { show } from '../output.js';
import { Refusal } from '../refusal.js';
import { verb, type Json } from '../verb.js';

/** A start job may come before its server: it waits this long, in ms. */
const patience = 60_000;

export function busCommands(program: Command): void {
  const bus = program.command('bus').description('the message bus (NATS)');

  verb(bus, 'declare', 'declare streams and consumers, as the user `deploy`; may be run again', [
    'bus declare',
    'bus declare --replicas 3',
  ])
    .option('--replicas <count>', 'NATS servers that keep each stream', Number, 1)
    .action(({ replicas, json }: Json & { replicas: number }) =>
      connected(
        'deploy',
        async ({ connection }) => {
          const declared = await declareStreams(connection, replicas).catch((error: unknown) => {
            throw new Refusal(
              `The streams could not be declared: ${String(error)}. Is NATS_NKEY_SEED that of the user deploy, and does the nats-server have JetStream?`,
            );
          });
          show({ declared }, json, () => declared.join('\n'));
        },
        patience,
      ),
    );
}
