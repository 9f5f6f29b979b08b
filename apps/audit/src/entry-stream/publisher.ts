import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { allOrganizations, logGrowthSchema, logGrowthSubject, type LogGrowth } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Bus, subscribeValidated } from '@holdfast/messaging';
import { Interval, Shutdown } from '@holdfast/service';
import { eventOf } from '../append/leaf.js';
import { firstThatFit } from '../query/first-that-fit.js';
import { pageAfter } from '../query/page-after.js';
import { EntryStream, isConflict, type EntryMessage, type StreamState } from './entry-stream.js';
import { publishedEntries, unpublishedEntries } from './metrics.js';
import { leaseMs, PublishedLogs } from './published-logs.js';
import { ReaderConsumers } from './reader-consumers.js';

/** Entries of one log that are published together. */
const pageLimit = 200;
/** Logs that are published together. */
const maxLogs = 8;
/** How often all ends are compared, for hints that were lost; also how often consumers are compared with readers. */
const scanIntervalMs = 30_000;

/** Entries of a log that are to be published next. */
interface Page {
  org: string;
  messages: EntryMessage[];
  /** After the last message: the place up to which the log has nothing else. */
  end: number;
  hasMore: boolean;
}

/**
 * Publishes the logs that somebody reads, after the commit. PostgreSQL says what there is, and JetStream what it has:
 * each message names the number of the one before (EntryStream.publish), so entries of a log are in order and without a
 * gap although a replica is killed or hangs, or two publish. The lease only saves them from refusing each other.
 */
@Injectable()
export class EntryPublisher implements OnApplicationBootstrap {
  /** Organizations whose logs are read here, or `*`. */
  private owners: ReadonlySet<string> = new Set();
  private leasedUntilMs = -Infinity;
  private comparedAtMs = -Infinity;
  /** The stream as this replica has left it; undefined when it is to be read again. */
  private stream: StreamState | undefined;
  /** Up to where each log is in `stream`. */
  private readonly places = new Map<string, number>();
  private readonly grown = new Set<string>();
  private publishing: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly bus: Bus,
    private readonly database: Database,
    private readonly entries: EntryStream,
    private readonly logs: PublishedLogs,
    private readonly consumers: ReaderConsumers,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    subscribeValidated(this.bus.connection, logGrowthSubject, logGrowthSchema, (grown) => this.note(grown));
    this.shutdown.before(async () => {
      this.stopped = true;
      await this.publishing?.catch(() => undefined);
      if (this.isPublisher()) await this.logs.releaseLease().catch(() => undefined);
    });
  }

  private isPublisher(): boolean {
    return performance.now() < this.leasedUntilMs;
  }

  private note(grown: LogGrowth): void {
    if (!this.isPublisher()) return;
    for (const [org] of grown) if (this.owners.has(allOrganizations) || this.owners.has(org)) this.grown.add(org);
    // The interval repeats a failed run, and logs and counts it.
    if (this.grown.size > 0) void this.publishGrown().catch(() => undefined);
  }

  @Interval({
    name: 'entry_stream',
    intervalMs: 1000,
    due: 'EXISTS (SELECT FROM audit_reader)',
    runAtStart: true,
    failure: 'Failed to publish entries to the stream AUDIT. Its readers get them later',
  })
  async run(): Promise<void> {
    const owners = await this.logs.owners();
    this.watch(new Set(owners.flatMap(({ org, served }) => (served ? [org] : []))));
    const leasedAtMs = performance.now();
    if (this.stopped || owners.length === 0 || !(await this.logs.takeLease())) {
      this.leasedUntilMs = -Infinity;
      this.stream = undefined;
      return unpublishedEntries.set(0);
    }
    this.leasedUntilMs = leasedAtMs + leaseMs;
    const stream = (this.stream ??= await this.readStream());
    if (performance.now() - this.comparedAtMs > scanIntervalMs) await this.compare(stream);
    await this.publishGrown();
  }

  /** A log that nobody read for some time may begin at another place than this replica knows. */
  private watch(owners: ReadonlySet<string>): void {
    if (owners.size === this.owners.size && [...owners].every((org) => this.owners.has(org))) return;
    this.owners = owners;
    this.places.clear();
    this.comparedAtMs = -Infinity;
  }

  private async readStream(): Promise<StreamState> {
    this.places.clear();
    this.comparedAtMs = -Infinity;
    return this.entries.state();
  }

  private async compare(stream: StreamState): Promise<void> {
    await this.consumers.compare(stream);
    const behind = await this.logs.behind(this.owners.has(allOrganizations), stream);
    unpublishedEntries.set(behind.reduce((sum, { entries }) => sum + entries, 0));
    for (const { org } of behind) this.grown.add(org);
    this.comparedAtMs = performance.now();
  }

  private publishGrown(): Promise<void> {
    return (this.publishing ??= this.publishAll().finally(() => (this.publishing = undefined)));
  }

  private async publishAll(): Promise<void> {
    while (this.grown.size > 0 && this.isPublisher() && !this.stopped) {
      const orgs = [...this.grown].slice(0, maxLogs);
      for (const org of orgs) this.grown.delete(org);
      try {
        for (const org of await this.publishNext(orgs)) this.grown.add(org);
      } catch (error) {
        for (const org of orgs) this.grown.add(org);
        this.stream = undefined;
        if (!isConflict(error)) throw error;
        return;
      }
    }
  }

  /** Publishes the next entries of these logs. @returns those that have more */
  private async publishNext(orgs: readonly string[]): Promise<string[]> {
    const stream = (this.stream ??= await this.readStream());
    const pages = (await Promise.all(orgs.map((org) => this.pageOf(org, stream)))).filter((page) => page !== undefined);
    const messages = pages.flatMap((page) => page.messages);
    const { stored, error } = await this.entries.publish(messages, stream.last);
    stream.last += stored;
    publishedEntries.inc(stored);
    const reached = placesOf(pages, stored);
    for (const [org, seq] of reached) this.places.set(org, seq);
    await this.logs.advance(reached, stream);
    if (error) throw error;
    return pages.flatMap(({ org, hasMore }) => (hasMore ? [org] : []));
  }

  private async pageOf(org: string, stream: StreamState): Promise<Page | undefined> {
    const place = this.places.get(org) ?? (await this.placeOf(org, stream));
    if (place === undefined) return undefined;
    const { entries, found, end } = await pageAfter(this.database, org, { filter: {}, after: place, limit: pageLimit });
    // Readers get pseudonyms only: what has left Holdfast cannot be erased by it.
    const events = firstThatFit(entries.map(({ seq, leaf }) => eventOf(seq, leaf, new Map())));
    const hasMore = events.length < found;
    return { org, messages: events.map((event) => ({ org, event })), end: hasMore ? events.at(-1)!.seq : end, hasMore };
  }

  /**
   * JetStream may have more than PostgreSQL knows of, when a replica was killed in between, or less, when it has lost
   * messages. After a restore of PostgreSQL it may have entries that the log does not.
   */
  private async placeOf(org: string, stream: StreamState): Promise<number | undefined> {
    const log = await this.logs.of(org);
    if (!log) return undefined;
    const isKept = log.stream === stream.created && (log.streamSeq ?? 0) <= stream.last;
    const known = isKept && log.seq !== null ? log.seq : await this.logs.again(org, stream);
    const held = await this.entries.lastOf(org);
    return held !== undefined && held.seq <= log.head ? Math.max(known, held.seq) : known;
  }
}

/** Up to where each log is in the stream, when the first `stored` messages of all pages are. */
function placesOf(pages: readonly Page[], stored: number): [string, number][] {
  let before = 0;
  return pages.flatMap(({ org, messages, end }): [string, number][] => {
    const ofPage = Math.min(Math.max(stored - before, 0), messages.length);
    before += messages.length;
    if (ofPage === messages.length) return [[org, end]];
    return ofPage === 0 ? [] : [[org, messages[ofPage - 1]!.event.seq]];
  });
}
