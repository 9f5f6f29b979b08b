import { Option, type Command } from 'commander';
import { organizationMove } from '@holdfast/contracts';
import { addCommand, seconds, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator, type OperatorSession } from '../operator-session.js';
import { moveSteps, OrganizationMove, StoppedAfterStep, type MoveStep } from '../organization-move/move.js';
import { eachService, lockOrganization, withShards, type ShardConnections } from '../organization-rows/connections.js';
import { deleteRows, digestsOf, rowsIn } from '../organization-rows/copy-rows.js';
import { fence, fenceOf } from '../organization-rows/fences.js';
import { shardDatabases } from '../organization-rows/shard-databases.js';
import { show, table } from '../output.js';

interface MoveOptions extends Json {
  to?: string;
  status?: boolean;
  cancel?: boolean;
  deleteSource?: boolean;
  stopAfter?: MoveStep;
  drainSeconds: number;
}

export function addOrganizationMove(org: Command): void {
  addCommand(
    org,
    'move <shortId>',
    'move an organization to another shard, with its log and proofs; it gets 503 meanwhile',
    ['org move acme --to eu2', 'org move acme --status', 'org move acme --cancel', 'org move acme --delete-source'],
  )
    .option('--to <shard>', 'shard to move it to; repeat the command to continue a move that was interrupted')
    .option('--status', 'show where its rows are, and the move in progress')
    .option('--cancel', 'end a move before the switch; the organization stays where it was')
    .option('--delete-source', 'delete its rows on every shard that it has moved away from')
    .option('--drain-seconds <seconds>', 'how long its events may take to be applied, before the copy', seconds, 60)
    .addOption(
      new Option('--stop-after <step>', 'stop after this step, to rehearse a move or to measure it').choices(moveSteps),
    )
    .action((shortId: string, options: MoveOptions) => {
      const { to, status = false, cancel = false, deleteSource = false } = options;
      if ([to !== undefined, status, cancel, deleteSource].filter(Boolean).length !== 1)
        throw new CommandError('Pass one of --to, --status, --cancel and --delete-source.');
      return asOperator('org move', async (session) => {
        if (status) return showStatus(session, shortId, options);
        if (deleteSource) return deleteSources(session, shortId, options);
        return cancel ? cancelMove(session, shortId, options) : move(session, shortId, options.to!, options);
      });
    });
}

async function move(session: OperatorSession, org: string, to: string, options: MoveOptions): Promise<void> {
  const { shard: from } = await session.request(organizationMove, {}, org);
  const steps: { step: MoveStep; detail: string }[] = [];
  const onStep = (step: MoveStep, detail: string) => {
    steps.push({ step, detail });
    if (!options.json) show(undefined, undefined, () => `${step}: ${detail}`);
  };
  const stopped = await withMove(session, org, { from, to, onStep, options }, (running) => running.run()).then(
    () => false,
    (error: unknown) => {
      if (error instanceof StoppedAfterStep) return true;
      throw error;
    },
  );
  show({ shortId: org, from, to, steps, complete: !stopped }, options.json, () =>
    stopped
      ? `Stopped. Continue: holdfast org move ${org} --to ${to}. Before the switch, or end it: --cancel.`
      : `${org} is on ${to}. Erasures do not reach its old rows, so delete them soon: ` +
        `holdfast org move ${org} --delete-source`,
  );
}

async function cancelMove(session: OperatorSession, org: string, options: MoveOptions): Promise<void> {
  const { shard: from, move: begun } = await session.request(organizationMove, {}, org);
  // Without a move, an earlier --cancel may have been interrupted after its first step.
  const { to } = begun ?? { to: from };
  await withMove(session, org, { from, to, onStep: () => undefined, options }, (running) => running.cancel());
  show({ shortId: org, shard: from }, options.json, () => `${org} is on ${from}, and no move is in progress.`);
}

interface Between {
  from: string;
  to: string;
  onStep: (step: MoveStep, detail: string) => void;
  options: MoveOptions;
}

function withMove(
  session: OperatorSession,
  org: string,
  { from, to, onStep, options }: Between,
  work: (running: OrganizationMove) => Promise<void>,
): Promise<void> {
  const databases = shardDatabases();
  const shards = from === to ? [databases.of(to)] : [databases.of(from), databases.of(to)];
  return withShards(shards, databases.tls, async (source, target = source) => {
    for (const connections of new Set([source, target])) await lockOrganization(connections, org);
    await work(
      new OrganizationMove({
        org,
        to,
        source: source,
        target: target,
        session,
        drainTimeoutMs: options.drainSeconds * 1000,
        onStep,
        stopAfter: options.stopAfter,
      }),
    );
  });
}

/** Rows and fences of the organization on each shard. */
async function showStatus(session: OperatorSession, org: string, { json }: MoveOptions): Promise<void> {
  const state = await session.request(organizationMove, {}, org);
  const databases = shardDatabases();
  const names = databases.shards;
  const shards = await withShards(
    names.map((name) => databases.of(name)),
    databases.tls,
    async (...all) => {
      const found: { shard: string; service: string; rows: number; refuses: string }[] = [];
      for (const [i, connections] of all.entries())
        await eachService(connections, async (client, service) => {
          const rows = rowsIn(await digestsOf(client, service, org));
          found.push({ shard: names[i]!, service, rows, refuses: (await fenceOf(client, service, org)) ?? 'nothing' });
        });
      return found;
    },
  );
  show({ shortId: org, ...state, shards }, json, () =>
    [
      `${org} is on the shard ${state.shard}.${state.move ? ` It is being moved to ${state.move.to}.` : ''}`,
      table(
        ['SHARD', 'SERVICE', 'ROWS', 'REFUSES'],
        shards.map(({ shard, service, rows, refuses }) => [shard, service, String(rows), refuses]),
      ),
    ].join('\n'),
  );
}

/** The fences stay: a process that was paused before the move must never write there. */
async function deleteSources(session: OperatorSession, org: string, { json }: MoveOptions): Promise<void> {
  const databases = shardDatabases();
  const { shard: own } = await session.request(organizationMove, {}, org);
  const others = databases.shards.filter((name) => name !== own);
  const deleted = await withShards(
    [own, ...others].map((name) => databases.of(name)),
    databases.tls,
    async (current, ...shards) => {
      for (const connections of [current, ...shards]) await lockOrganization(connections, org);
      const { shard, move: begun } = await session.request(organizationMove, {}, org);
      if (begun || shard !== own) throw new CommandError(`${org} is being moved. Complete or cancel the move first.`);
      await requireComplete(current, org);
      let count = 0;
      for (const connections of shards)
        await eachService(connections, async (client, service) => {
          if (rowsIn(await digestsOf(client, service, org)) === 0) return;
          await fence(client, service, org, 'everything');
          count += await deleteRows(client, service, org);
        });
      return count;
    },
  );
  show({ shortId: org, shard: own, deleted }, json, () =>
    deleted === 0 ? `Only ${own} has rows of ${org}.` : `Deleted ${deleted} rows of ${org} on ${others.join(', ')}.`,
  );
}

/** The only complete copy must never be the one that is deleted. */
async function requireComplete(connections: ShardConnections, org: string): Promise<void> {
  const { audit } = connections;
  const { rows } = await audit!.query('SELECT FROM audit.head WHERE org = $1', [org]);
  if (rows.length === 0)
    throw new CommandError(`The shard that directory names has no log of ${org}, so nothing was deleted anywhere.`);
  await eachService(connections, async (client, service) => {
    if ((await fenceOf(client, service, org)) !== undefined)
      throw new CommandError(`The move of ${org} is not complete. Run it again: holdfast org move ${org} --to <shard>`);
  });
}
