import type { Command } from 'commander';
import { declareStreams } from '@holdfast/messaging/client';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { withBus } from '../operator-session.js';
import { show } from '../output.js';

/** A deployment may run this command before nats-server is ready. */
const connectTimeoutMs = 60_000;

export function busCommands(program: Command): void {
  const bus = program.command('bus').description('the message bus (NATS)');

  addCommand(bus, 'declare', 'declare streams and consumers, as the NATS user `deploy`; may be repeated', [
    'bus declare',
    'bus declare --replicas 3',
  ])
    .option('--replicas <count>', 'number of NATS servers that store each stream', Number, 1)
    .action(({ replicas, json }: Json & { replicas: number }) =>
      withBus(
        'deploy',
        async ({ connection }) => {
          const declared = await declareStreams(connection, replicas).catch((error: unknown) => {
            throw new CommandError(
              `The streams could not be declared: ${String(error)}. ` +
                'Is NATS_NKEY_SEED that of the user deploy, and is JetStream enabled in nats-server?',
            );
          });
          show({ declared }, json, () => declared.join('\n'));
        },
        connectTimeoutMs,
      ),
    );
}
