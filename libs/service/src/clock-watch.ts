import type { ReplicaAnnouncement, ServiceName } from '@holdfast/contracts';
import { aheadOf, RemoteClock, type Clock, type ClockReading, type ClockTrust, type Logger } from '@holdfast/platform';
import { clockOffset } from './metrics.js';
import { PeerClocks } from './peer-clocks.js';

export const defaultMaxClockOffsetMs = 5000;
/** Within this the machine's own clock is taken, which never goes back between two readings; NTP keeps it far below. */
const sameTimeMs = 250;
const intervalMs = 1000;
const sayAgainMs = 60_000;
const judgedForMs = 100;

export interface ClockWatchOptions {
  /** Beyond this a clock counts as another time. */
  maxOffsetMs?: number | undefined;
  /** Whether readings of PostgreSQL's clock are to be expected: until the first one nothing ends. */
  hasDatabase: boolean;
  /** By how much HOLDFAST_TEST_CLOCK moves this process: PostgreSQL's time is moved alike. */
  testOffsetMs?: number | undefined;
  machineMs?: (() => number) | undefined;
  monotonicMs?: (() => number) | undefined;
}

/**
 * The time of a service. It is the machine's own as long as that agrees with PostgreSQL's, and PostgreSQL's otherwise,
 * so that a wrong clock of one machine ends nothing. A service without a database cannot correct itself: peers could
 * then make it take an expired token. It learns from them that it is wrong (docs/adr/0026-clocks.md).
 */
export class ClockWatch implements Clock {
  private readonly database = new RemoteClock();
  private readonly peers: PeerClocks;
  private readonly maxOffsetMs: number;
  private readonly machineMs: () => number;
  private readonly monotonicMs: () => number;
  private judged = { atMs: -Infinity, epochMs: 0, trust: 'agreed' as ClockTrust };
  private saidAt = -Infinity;
  private said: ClockTrust = 'agreed';

  constructor(private readonly options: ClockWatchOptions) {
    this.maxOffsetMs = options.maxOffsetMs ?? defaultMaxClockOffsetMs;
    this.machineMs = options.machineMs ?? (() => Date.now());
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.peers = new PeerClocks(this.monotonicMs);
  }

  /** What the machine's clock shows, right or wrong: peers are told of this one. */
  machineTimeMs(): number {
    return this.machineMs();
  }

  monotonicTimeMs(): number {
    return this.monotonicMs();
  }

  observeDatabase({ remoteMs, ...times }: ClockReading): void {
    this.database.observe({ remoteMs: remoteMs + (this.options.testOffsetMs ?? 0), ...times });
  }

  hear(service: ServiceName, alive: ReplicaAnnouncement): void {
    this.peers.hear(service, alive);
  }

  now(): Date {
    const bounds = this.database.epoch();
    const monotonic = this.monotonicMs();
    const machine = this.machineMs();
    if (!bounds || Math.abs(aheadOf(machine - monotonic, bounds)) <= sameTimeMs) return new Date(machine);
    return new Date((bounds.earliestMs + bounds.latestMs) / 2 + monotonic);
  }

  /** In ms, positive when the machine's clock is ahead; undefined where there is nothing to compare with. */
  offsets(): { postgres: number | undefined; peers: number | undefined } {
    const epochMs = this.machineMs() - this.monotonicMs();
    const bounds = this.database.epoch();
    return { postgres: bounds && aheadOf(epochMs, bounds), peers: this.peers.aheadMs(epochMs) };
  }

  /** Each request asks, so a judgement counts for a moment, unless the machine's clock was set anew in it. */
  trust(): ClockTrust {
    const atMs = this.monotonicMs();
    const epochMs = this.machineMs() - atMs;
    if (atMs - this.judged.atMs >= judgedForMs || Math.abs(epochMs - this.judged.epochMs) > judgedForMs)
      this.judged = { atMs, epochMs, trust: this.judge() };
    return this.judged.trust;
  }

  private judge(): ClockTrust {
    const { postgres, peers } = this.offsets();
    if (this.options.hasDatabase && postgres === undefined) return 'disputed';
    const contradicted = [postgres, peers]
      .filter((offset) => offset !== undefined)
      .map((offset) => Math.abs(offset) > this.maxOffsetMs);
    if (!contradicted.includes(true)) return 'agreed';
    // Whoever is left alone by all others is wrong. Where PostgreSQL and the peers are not of one mind, it may be any
    // of them.
    return contradicted.includes(false) ? 'disputed' : 'wrong';
  }

  /** What an operator should know, a line each. */
  remarks(): string[] {
    const { postgres, peers } = this.offsets();
    return [
      ...(this.isBeyond(postgres) ? [`the clock of this machine is ${seconds(postgres)} PostgreSQL's`] : []),
      ...(this.isBeyond(peers) ? [`the clock of this machine is ${seconds(peers)} that of most other services`] : []),
    ];
  }

  start(logger: Logger): NodeJS.Timeout {
    return setInterval(() => this.report(logger), intervalMs).unref();
  }

  /** Once a second: metric, and a line in the log when it begins, each minute that it lasts, and when it is over. */
  report(logger: Logger): void {
    const { postgres, peers } = this.offsets();
    if (postgres !== undefined) clockOffset.set({ reference: 'postgres' }, postgres / 1000);
    if (peers !== undefined) clockOffset.set({ reference: 'peers' }, peers / 1000);
    else clockOffset.remove({ reference: 'peers' });
    this.say(logger);
  }

  private say(logger: Logger): void {
    const trust = this.judge();
    const remarks = this.remarks();
    if (remarks.length === 0) {
      if (this.said !== 'agreed') logger.info('the clock of this machine agrees with the others again');
      this.said = 'agreed';
      return;
    }
    const now = this.monotonicMs();
    if (trust === this.said && now - this.saidAt < sayAgainMs) return;
    [this.said, this.saidAt] = [trust, now];
    const consequence =
      trust === 'wrong' ? 'It is not ready until they agree' : 'Either may be wrong, so it goes on working';
    logger.error(
      `${remarks.join(', and ')}. ${consequence}, and nothing expires here meanwhile. Synchronise the clocks (chronyc tracking, timedatectl); see "When a clock is wrong" in the runbook`,
    );
  }

  private isBeyond(offset: number | undefined): offset is number {
    return offset !== undefined && Math.abs(offset) > this.maxOffsetMs;
  }
}

function seconds(offsetMs: number): string {
  return `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
}
