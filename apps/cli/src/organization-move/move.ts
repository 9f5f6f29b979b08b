import { setTimeout as sleep } from 'node:timers/promises';
import {
  auditCheckpoint,
  auditConsistency,
  contracts,
  moveOrganization,
  organizationMove,
  services,
  type FenceLevel,
  type ReplyOf,
} from '@holdfast/contracts';
import { fencesKnownWithinMs } from '@holdfast/messaging/client';
import { AppError } from '@holdfast/platform';
import { readCheckpoint, verifyConsistency } from '@holdfast/tlog';
import { CommandError } from '../command-error.js';
import { errorMessage } from '../error-message.js';
import type { OperatorSession } from '../operator-session.js';
import { eachService, type ShardConnections } from '../organization-rows/connections.js';
import {
  copyRows,
  createLogPartitions,
  deleteRows,
  digestsOf,
  logMonths,
  requireEqual,
  rowsIn,
} from '../organization-rows/copy-rows.js';
import { drain, undelivered } from '../organization-rows/drain.js';
import { fence, fenceOf, removeFence } from '../organization-rows/fences.js';
import { columnsOf, organizationTables, requireOwned } from '../organization-rows/organization-tables.js';

/** The steps in their order. The command may end after each, and continues when it is run again. */
export const moveSteps = ['check', 'begin', 'freeze', 'drain', 'fence', 'copy', 'switch', 'open', 'verify'] as const;
export type MoveStep = (typeof moveSteps)[number];

/** Ends the command after a step, without an error: everything stays as it is then. */
export class StoppedAfterStep extends Error {}

interface MoveOptions {
  org: string;
  to: string;
  source: ShardConnections;
  target: ShardConnections;
  session: OperatorSession;
  /** How long events may take until all services have applied them. */
  drainTimeoutMs: number;
  onStep: (step: MoveStep, detail: string) => void;
  stopAfter: MoveStep | undefined;
}

/** Replies to reads leave within this time, and were computed by what the service knew when it began. */
const maxQueryMs = Math.max(
  ...contracts.flatMap(({ service, kind, timeoutMs }) =>
    services[service].sharded && kind === 'query' ? [timeoutMs] : [],
  ),
);
/** How long after a fence no service uses an answer from before it. */
const freezeMs = fencesKnownWithinMs + maxQueryMs;
const openTimeoutMs = 60_000;
const pollMs = 200;

/**
 * Moves an organization to another shard (docs/adr/0053-organization-moves.md). Every step may be repeated. Until the
 * switch, an error cancels the move: the organization is on its shard as before.
 */
export class OrganizationMove {
  private move?: { id: string; to: string };

  constructor(private readonly options: MoveOptions) {}

  /** @throws CommandError */
  async run(): Promise<void> {
    const { org, to } = this.options;
    const { shard, move } = await this.state();
    if (move && move.to !== to)
      throw new CommandError(`${org} is being moved to ${move.to}. Complete that move, or end it with --cancel.`);
    if (shard === to) return this.afterSwitch();
    const checkpoint = await this.untilSwitch(move).catch(async (error: unknown) => {
      if (error instanceof StoppedAfterStep || !this.move) throw error;
      throw await this.cancelled(error);
    });
    await this.afterSwitch(checkpoint);
  }

  /**
   * Ends a move that has not reached the switch: the source serves the organization again. The target keeps its fence,
   * since it may have had the organization before.
   */
  async cancel(): Promise<void> {
    const { org, source, target, session } = this.options;
    const { move } = await this.state();
    // First: a command that was paused cannot switch any more.
    if (move) await session.request(moveOrganization, { step: 'cancel', id: move.id }, org);
    await eachService(source, (client, service) => removeFence(client, service, org));
    if (move) await eachService(target, async (client, service) => void (await deleteRows(client, service, org)));
  }

  private async untilSwitch(begun: { id: string; to: string } | undefined): Promise<string | undefined> {
    const { org, to, session } = this.options;
    const checkpoint = begun ? undefined : await this.check();
    this.move = begun ?? {
      id: (await session.request(moveOrganization, { step: 'begin', to }, org)).id,
      to,
    };
    this.done('begin', 'changes of apps, people and groups are stored, and their events wait');
    await this.fenceAll(this.options.target, 'everything');
    // A repeated command must not open a fence behind which rows may have been copied. It completes the fence.
    let fenced = await this.isFenced();
    await this.fenceAll(this.options.source, fenced ? 'everything' : 'requests');
    const frozenAtMs = performance.now();
    this.done('freeze', 'requests get 503 with Retry-After');
    // No request that has begun before is still handled, unless its process hangs.
    await sleep(fencesKnownWithinMs);
    // Again if a process that was paused until then has written before it was fenced.
    while (!fenced || (await this.undelivered()) > 0) {
      await this.fenceAll(this.options.source, 'requests');
      await this.drain();
      await this.fenceAll(this.options.source, 'everything');
      fenced = true;
    }
    this.done('fence', 'the source refuses every write');
    const rows = await this.copy();
    this.done('copy', `${rows} rows, equal on both shards`);
    await sleep(Math.max(0, frozenAtMs + freezeMs - performance.now()));
    await session.request(moveOrganization, { step: 'finish', id: this.move.id }, org);
    this.done('switch', `${org} is on the shard ${to}`);
    return checkpoint;
  }

  /** Whatever can be known before anything is changed. @returns a checkpoint that the source's audit has verified */
  private async check(): Promise<string> {
    const { org, source, target, session } = this.options;
    await eachService(source, async (client, service) => {
      const [ours, theirs] = [await columnsOf(client, service), await columnsOf(target[service]!, service)];
      const different = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
        (name) => ours[name]?.join() !== theirs[name]?.join(),
      );
      if (different.length > 0)
        throw new CommandError(
          `The tables ${different.map((name) => `${service}.${name}`).join(', ')} differ between the shards. ` +
            'Run the migrations of the same version on both.',
        );
      await organizationTables(client, service);
      await requireOwned(client, service);
      if (rowsIn(await digestsOf(target[service]!, service, org)) > 0)
        throw new CommandError(
          `The target has rows of ${org} from an earlier time. Delete them: holdfast org move ${org} --delete-source`,
        );
    });
    const { checkpoint } = await session.request(auditCheckpoint, {}, org);
    this.done('check', 'both shards have the same tables, and the log continues its checkpoints');
    return checkpoint;
  }

  private async isFenced(): Promise<boolean> {
    const levels: unknown[] = [];
    await eachService(this.options.source, async (client, service) => {
      levels.push(await fenceOf(client, service, this.options.org));
    });
    return levels.every((level) => level === 'everything');
  }

  private async fenceAll(connections: ShardConnections, level: FenceLevel): Promise<void> {
    await eachService(connections, (client, service) => fence(client, service, this.options.org, level));
  }

  private async drain(): Promise<void> {
    const { org, source, session, drainTimeoutMs } = this.options;
    await drain(session, org, source, drainTimeoutMs);
    this.done('drain', 'every service has applied every event');
  }

  private undelivered(): Promise<number> {
    const { org, source, session } = this.options;
    return undelivered(session, org, source);
  }

  /** Copies each service in one transaction on the target, so that it has all rows or none. */
  private async copy(): Promise<number> {
    const { org, source, target } = this.options;
    await createLogPartitions(target.audit!, await logMonths(source.audit!, org));
    let copied = 0;
    await eachService(source, async (from, service) => {
      const into = target[service]!;
      await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await into.query('BEGIN');
      try {
        const expected = await digestsOf(from, service, org);
        // An earlier run may have copied this service.
        if (rowsIn(await digestsOf(into, service, org)) === 0) await copyRows(from, into, service, org);
        requireEqual(expected, await digestsOf(into, service, org));
        await into.query('COMMIT');
        copied += rowsIn(expected);
      } catch (error) {
        await into.query('ROLLBACK');
        throw error;
      } finally {
        await from.query('ROLLBACK');
      }
    });
    return copied;
  }

  private async afterSwitch(before?: string): Promise<void> {
    const { org, target, to } = this.options;
    await eachService(target, (client, service) => removeFence(client, service, org));
    this.done('open', `services of ${to} serve ${org}`);
    const now = readCheckpoint(await this.newCheckpoint());
    if (before !== undefined) {
      const from = readCheckpoint(before);
      const proof = (
        await this.options.session.request(auditConsistency, { from: from.size, to: now.size }, org)
      ).hashes.map((hash) => Buffer.from(hash, 'base64'));
      if (!verifyConsistency({ from: from.size, to: now.size, fromRoot: from.root, toRoot: now.root, proof }))
        throw new CommandError(`The log on ${to} does not continue the checkpoint of ${from.size} entries. Keep both.`);
    }
    this.done('verify', `the log of ${now.size} entries continues`);
  }

  /** The services of the target learn within a moment that the organization is theirs. */
  private async newCheckpoint(): Promise<string> {
    const { org, session } = this.options;
    const until = performance.now() + openTimeoutMs;
    for (;;)
      try {
        return (await session.request(auditCheckpoint, {}, org)).checkpoint;
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'unavailable') || performance.now() > until) throw error;
        await sleep(pollMs);
      }
  }

  private async cancelled(error: unknown): Promise<CommandError> {
    const { org, to } = this.options;
    const message = errorMessage(error);
    try {
      if ((await this.state()).shard === to)
        return new CommandError(`${message}\n${org} was moved. Run the command again to complete it.`);
      await this.cancel();
      return new CommandError(`${message}\nThe move was cancelled: ${org} is on its shard as before.`);
    } catch (cause) {
      return new CommandError(
        `${message}\nThe move could not be cancelled either (${errorMessage(cause)}), so ${org} gets 503. ` +
          'Run the command again, or with --cancel.',
      );
    }
  }

  private state(): Promise<ReplyOf<typeof organizationMove>> {
    return this.options.session.request(organizationMove, {}, this.options.org);
  }

  private done(step: MoveStep, detail: string): void {
    this.options.onStep(step, detail);
    if (this.options.stopAfter === step) throw new StoppedAfterStep();
  }
}
