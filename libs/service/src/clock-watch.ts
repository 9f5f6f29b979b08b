import type { ReplicaAnnouncement, ServiceName } from '@holdfast/contracts';
import {
  aheadOf,
  everyTick,
  RemoteClock,
  type Clock,
  type ClockReading,
  type ClockTrust,
  type Logger,
  type Ticking,
} from '@holdfast/platform';
import { clockOffset } from './metrics.js';
import { PeerClocks } from './peer-clocks.js';

const defaultMaxClockOffsetMs = 5000;
/**
 * Below this offset the machine's own clock is used, because it does not go back between two readings of PostgreSQL's.
 */
const sameTimeMs = 250;
const intervalMs = 1000;
const logAgainMs = 60_000;
/** How long trust() returns the same result, because it runs for each request. */
const trustTtlMs = 100;

export interface ClockWatchOptions {
  /** Two clocks disagree beyond this offset. */
  maxOffsetMs?: number | undefined;
  /** With a database nothing expires before the first reading of PostgreSQL's clock. */
  hasDatabase: boolean;
  /** The shift of HOLDFAST_TEST_CLOCK, which applies to readings of PostgreSQL's clock as well. */
  testOffsetMs?: number | undefined;
  machineMs?: (() => number) | undefined;
  monotonicMs?: (() => number) | undefined;
}

/**
 * The time of a service: the machine's own while that agrees with PostgreSQL's, otherwise PostgreSQL's. So a wrong
 * clock of one machine expires nothing. A service without a database does not correct its time, since peers could make
 * it accept an expired token; it only learns from them that its clock is wrong (docs/adr/0026-clocks.md).
 */
export class ClockWatch implements Clock {
  private readonly database = new RemoteClock();
  private readonly peers: PeerClocks;
  private readonly maxOffsetMs: number;
  private readonly machineMs: () => number;
  private readonly monotonicMs: () => number;
  private cached = { atMs: -Infinity, epochMs: 0, trust: 'agreed' as ClockTrust };
  private loggedAt = -Infinity;
  private logged: ClockTrust = 'agreed';

  constructor(private readonly options: ClockWatchOptions) {
    this.maxOffsetMs = options.maxOffsetMs ?? defaultMaxClockOffsetMs;
    this.machineMs = options.machineMs ?? (() => Date.now());
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.peers = new PeerClocks(this.monotonicMs);
  }

  /** The machine's clock without correction, which this service announces to its peers. */
  machineTimeMs(): number {
    return this.machineMs();
  }

  observeDatabase({ remoteMs, ...times }: ClockReading): void {
    this.database.observe({ remoteMs: remoteMs + (this.options.testOffsetMs ?? 0), ...times });
  }

  observePeer(service: ServiceName, announcement: ReplicaAnnouncement): void {
    this.peers.observe(service, announcement);
  }

  now(): Date {
    const bounds = this.database.epoch();
    const monotonic = this.monotonicMs();
    const machine = this.machineMs();
    if (!bounds || Math.abs(aheadOf(machine - monotonic, bounds)) <= sameTimeMs) return new Date(machine);
    return new Date((bounds.earliestMs + bounds.latestMs) / 2 + monotonic);
  }

  /** In ms; positive when the machine's clock is ahead, undefined without a reading to compare with. */
  offsets(): { postgres: number | undefined; peers: number | undefined } {
    const epochMs = this.machineMs() - this.monotonicMs();
    const bounds = this.database.epoch();
    return { postgres: bounds && aheadOf(epochMs, bounds), peers: this.peers.aheadMs(epochMs) };
  }

  /** Cached for a moment, unless the machine's clock was set meanwhile. */
  trust(): ClockTrust {
    const atMs = this.monotonicMs();
    const epochMs = this.machineMs() - atMs;
    if (atMs - this.cached.atMs >= trustTtlMs || Math.abs(epochMs - this.cached.epochMs) > trustTtlMs)
      this.cached = { atMs, epochMs, trust: this.assess() };
    return this.cached.trust;
  }

  private assess(): ClockTrust {
    const { postgres, peers } = this.offsets();
    if (this.options.hasDatabase && postgres === undefined) return 'disputed';
    const contradicted = [postgres, peers]
      .filter((offset) => offset !== undefined)
      .map((offset) => Math.abs(offset) > this.maxOffsetMs);
    if (!contradicted.includes(true)) return 'agreed';
    // This clock is wrong if all others contradict it. If PostgreSQL and the peers contradict each other, any of them
    // may be wrong.
    return contradicted.includes(false) ? 'disputed' : 'wrong';
  }

  /** One line for each clock that disagrees with this machine's. */
  remarks(): string[] {
    const { postgres, peers } = this.offsets();
    return [
      ...(this.isBeyond(postgres) ? [`the clock of this machine is ${seconds(postgres)} PostgreSQL's`] : []),
      ...(this.isBeyond(peers) ? [`the clock of this machine is ${seconds(peers)} that of most other services`] : []),
    ];
  }

  start(logger: Logger): Ticking {
    return everyTick(intervalMs, () => this.report(logger));
  }

  /** Sets the metrics, and logs when clocks begin to disagree, each minute while they do, and when they agree again. */
  report(logger: Logger): void {
    const { postgres, peers } = this.offsets();
    if (postgres !== undefined) clockOffset.set({ reference: 'postgres' }, postgres / 1000);
    if (peers !== undefined) clockOffset.set({ reference: 'peers' }, peers / 1000);
    else clockOffset.remove({ reference: 'peers' });
    this.log(logger);
  }

  private log(logger: Logger): void {
    const trust = this.assess();
    const remarks = this.remarks();
    if (remarks.length === 0) {
      if (this.logged !== 'agreed') logger.info('the clock of this machine agrees with the others again');
      this.logged = 'agreed';
      return;
    }
    const now = this.monotonicMs();
    if (trust === this.logged && now - this.loggedAt < logAgainMs) return;
    [this.logged, this.loggedAt] = [trust, now];
    const consequence =
      trust === 'wrong' ? 'The service is not ready until they agree' : 'Either may be wrong, so the service continues';
    logger.error(
      `${remarks.join(', and ')}. ${consequence}, and nothing expires here meanwhile. ` +
        'Synchronise the clocks (chronyc tracking, timedatectl); see "When a clock is wrong" in docs/runbook.md',
    );
  }

  private isBeyond(offset: number | undefined): offset is number {
    return offset !== undefined && Math.abs(offset) > this.maxOffsetMs;
  }
}

function seconds(offsetMs: number): string {
  return `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
}
