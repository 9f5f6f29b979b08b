import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { secretTable, type SecretEntry } from '@holdfast/platform-policy';
import { addCommand, seconds, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asDatabaseOwner } from '../database-owner.js';
import { show, table } from '../output.js';
import { databaseBlockers, waitBlockers } from '../secrets/rotation-blockers.js';
import {
  entryOf,
  finish,
  makeCurrent,
  start,
  stateOf,
  tidied,
  type RotationState,
  type SecretChanges,
} from '../secrets/rotation.js';
import { secretStore, type SecretStore, type SecretTarget } from '../secrets/secret-store.js';

const retryMs = 1000;

interface FinishOptions extends Json, SecretTarget {
  wait?: number;
  anyway?: boolean;
}

/** Adds to the command `secrets`, so deploymentSecretCommands must run first. */
export function secretRotationCommands(program: Command): void {
  const secrets = program.commands.find((command) => command.name() === 'secrets')!;
  const rotate = secrets
    .command('rotate')
    .description('replace secrets without interruption, in three steps with a restart of the services after each');
  const command = (syntax: string, description: string, example: string) =>
    addCommand(rotate, syntax, description, [`secrets rotate ${example} --folder /etc/holdfast/secrets`])
      .option('--folder <path>', 'one file per secret')
      .option('--kubernetes-secret <name>', "a Secret in the pod's own namespace")
      .option('--file <path>', 'secrets.json of a local stack');

  command('start <names...>', 'create new values, which services accept beside the current ones', 'start COOKIE_KEY')
    // A second call changes nothing.
    .action((names: string[], { json, ...target }: Json & SecretTarget) =>
      step(names, target, json, start, 'Restart the services that have them, one replica after the other.'),
    );

  command('switch <names...>', 'make the new values the current ones', 'switch COOKIE_KEY').action(
    async (names: string[], { json, ...target }: Json & SecretTarget) => {
      await step(names, target, json, makeCurrent, 'Restart the services that have them, one replica after the other.');
      const store = await secretStore(target);
      for (const name of names) await store.change(() => tidied(entryOf(name)));
    },
  );

  command(
    'finish <names...>',
    'remove the old values; refused while something still needs one, which services report in their databases; ' +
      asDatabaseOwner,
    'finish COOKIE_KEY',
  )
    .option('--wait <seconds>', 'wait until nothing needs them any more, so long at most', seconds)
    .option('--anyway', 'remove them although something needs them: for a value that has leaked', false)
    .action(async (names: string[], { json, wait = 0, anyway = false, ...target }: FinishOptions) => {
      const store = await secretStore(target);
      const entries = names.map(entryOf);
      if (!anyway) await requireUnneeded(store, entries, wait);
      await step(names, target, json, finish, 'Restart the services that have them, one replica after the other.');
    });

  command('status', 'show the rotations that are not finished', 'status').action(
    async ({ json, ...target }: Json & SecretTarget) => {
      const stored = await (await secretStore(target)).read();
      const rotations = secretTable.flatMap(({ name }) => {
        const state = stateOf(stored, name);
        return state ? [{ name, ...state }] : [];
      });
      show(rotations, json, () =>
        rotations.length === 0
          ? 'No rotation is in progress.'
          : table(
              ['SECRET', 'NEW VALUE IS', 'SINCE'],
              rotations.map(({ name, step: of, since }) => [name, of, since.toISOString()]),
            ),
      );
    },
  );
}

async function step(
  names: string[],
  target: SecretTarget,
  json: boolean | undefined,
  change: (secrets: Readonly<Record<string, string>>, entry: SecretEntry, now: Date) => SecretChanges,
  hint: string,
): Promise<void> {
  const store = await secretStore(target);
  const changed: string[] = [];
  for (const entry of names.map(entryOf))
    if (Object.keys(await store.change((secrets) => change(secrets, entry, new Date()))).length > 0)
      changed.push(entry.name);
  show({ changed }, json, () =>
    changed.length === 0 ? 'Nothing to do: this step was made before.' : `Changed: ${changed.join(', ')}. ${hint}`,
  );
}

/** @throws CommandError with everything that needs an old value */
async function requireUnneeded(store: SecretStore, entries: SecretEntry[], waitSeconds: number): Promise<void> {
  const deadlineMs = performance.now() + waitSeconds * 1000;
  for (;;) {
    const reasons = await blockersOf(store, entries);
    if (reasons.length === 0) return;
    if (performance.now() + retryMs > deadlineMs)
      throw new CommandError(`The old values are still needed, and nothing was removed.\n${reasons.join('\n')}`);
    await sleep(retryMs);
  }
}

async function blockersOf(store: SecretStore, entries: SecretEntry[]): Promise<string[]> {
  const stored = await store.read();
  const rotations = entries.flatMap((entry): [SecretEntry, RotationState][] => {
    const state = stateOf(stored, entry.name);
    return state?.step === 'current' ? [[entry, state]] : [];
  });
  const reasons = rotations.flatMap(([entry, state]) =>
    waitBlockers(entry, state, new Date()).map((reason) => `${entry.name}: ${reason}.`),
  );
  const asked = rotations.filter(([{ kind }]) => kind === 'key' || kind === 'password');
  if (asked.length === 0) return reasons;
  for (const [entry] of asked)
    for (const reason of await databaseBlockers(entry, stored[entry.name]!)) reasons.push(`${entry.name}: ${reason}.`);
  return reasons;
}
