import { InvalidArgumentError, type Command } from 'commander';
import { deleteOrganization, maxGraceSeconds } from '@holdfast/contracts';
import { addCommand, seconds, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asDatabaseOwner } from '../database-owner.js';
import { asOperator } from '../operator-session.js';
import { purge, type PurgeStep } from '../organization-deletion/purge.js';
import { lockOrganization, withShards } from '../organization-rows/connections.js';
import { organizationDatabases } from '../organization-rows/organization-databases.js';
import { show } from '../output.js';

const secondsPerDay = 86_400;

interface DeleteOptions extends Json {
  graceDays: number;
  yes?: boolean;
}

interface PurgeCommandOptions extends Json {
  timeoutSeconds: number;
  export?: boolean;
}

export function addOrganizationDeletion(org: Command): void {
  addCommand(
    org,
    'delete <shortId>',
    'suspend an organization within a second, to be deleted once its grace period has passed. Until then, ' +
      '"org resume" cancels the deletion',
    ['org delete acme --yes', 'org delete acme --grace-days 0 --yes'],
  )
    .option('--grace-days <days>', 'how long everything stays, in days', days, 30)
    .option('--yes', 'confirm that its customers and people cannot sign in any more')
    .action((shortId: string, { graceDays, yes = false, json }: DeleteOptions) => {
      if (!yes)
        throw new CommandError(
          `All customers, people and apps of ${shortId} are refused from then on. Repeat the command with --yes. ` +
            'Nothing was changed.',
        );
      return asOperator('org delete', async ({ request }) => {
        const graceSeconds = graceDays * secondsPerDay;
        const reply = await request(deleteOrganization, { step: 'schedule', shortId, graceSeconds }, shortId);
        show(
          reply,
          json,
          () =>
            `${shortId} is suspended. From ${reply.deletesAt!} it can be deleted: holdfast org purge ${shortId} ` +
            `<folder>. Before that: holdfast org resume ${shortId}`,
        );
      });
    });

  addCommand(
    org,
    'purge <shortId> <folder>',
    'delete everything of an organization whose grace period has passed. Its audit log is written to the folder ' +
      `before, with its checkpoint and keys, and verified. Run it again if it was interrupted; ${asDatabaseOwner}`,
    ['org purge acme /archive/acme', 'org purge acme /archive/acme --export'],
  )
    .option(
      '--timeout-seconds <seconds>',
      'how long its events may take to be applied, and its log to be signed',
      seconds,
      60,
    )
    .option('--export', 'also write all its rows to the folder, by which "org import" brings it back', false)
    .action((shortId: string, folder: string, options: PurgeCommandOptions) => purgeCommand(shortId, folder, options));
}

function purgeCommand(
  org: string,
  folder: string,
  { timeoutSeconds, export: exportsRows = false, json }: PurgeCommandOptions,
): Promise<void> {
  const { tls, shards, common } = organizationDatabases();
  const names = Object.keys(shards);
  return asOperator('org purge', (session) =>
    withShards([...Object.values(shards), common], tls, async (...connections) => {
      for (const connection of connections) if (connection.audit) await lockOrganization(connection, org);
      const steps: { step: PurgeStep; detail: string }[] = [];
      const onStep = (step: PurgeStep, detail: string) => {
        steps.push({ step, detail });
        if (!json) show(undefined, undefined, () => `${step}: ${detail}`);
      };
      const { log, rows } = await purge({
        org,
        folder,
        session,
        timeoutMs: timeoutSeconds * 1000,
        shards: Object.fromEntries(names.map((name, i) => [name, connections[i]!])),
        common: connections.at(-1)!,
        onStep,
        exportsRows,
      });
      show({ shortId: org, steps, rows, ...(log && { log }) }, json, () =>
        [
          `${org} is deleted. Its short ID is never used again. Backups keep its rows until you delete them.`,
          log ? `Verify its log: ${log.verify}` : `Its log was written by an earlier run of this command.`,
        ].join('\n'),
      );
    }),
  );
}

/** @throws InvalidArgumentError */
function days(value: string): number {
  const most = Math.floor(maxGraceSeconds / secondsPerDay);
  if (!/^\d{1,3}$/.test(value) || Number(value) > most)
    throw new InvalidArgumentError(`Use a whole number of days from 0 to ${most}.`);
  return Number(value);
}
