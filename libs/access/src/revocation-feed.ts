import { Logger } from '@nestjs/common';
import {
  accessChanges,
  accessHeartbeatSchema,
  revocationFeedSubject,
  type AccessEntry,
  type ServiceName,
} from '@holdfast/contracts';
import { countDroppedMessage, subscribeValidated, systemContext, type Bus } from '@holdfast/messaging';
import type { Readiness } from '@holdfast/service';
import { IntrospectionFallback } from './introspection-fallback.js';
import { revocationReason, type TokenOrigin } from './revocation-rule.js';

/**
 * How long a confirmation is good for, in ms: with its way over the bus, what is disabled is refused within a second.
 */
const staleAfterMs = 900;
/** Twice the life of a token, in ms: what changed before can be met by no live one. */
const memory = 20 * 60_000;
const retryAfter = 250;

const keyOf = (kind: AccessEntry['kind'], id: string) => `${kind} ${id}`;

/**
 * What directory has changed about access, held by whoever lets callers in: a snapshot, increments when a heartbeat
 * shows that there are some, and doubt as soon as the heartbeats stop. While in doubt nothing here is trusted, see
 * check().
 */
export class RevocationFeed {
  private readonly logger = new Logger('access feed');
  private readonly questions: IntrospectionFallback;
  private readonly known = new Map<string, { entry: AccessEntry; at: number }>();
  private readonly listeners: ((entry?: AccessEntry) => void)[] = [];
  /** Newest change that is known here; undefined before the snapshot. */
  private seq?: number;
  private announced = 0;
  /** Everything is loaded anew; what is known stays until then. */
  private startOver = true;
  private confirmedAt = -Infinity;
  private refreshing = false;

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
    readiness: Readiness,
  ) {
    this.questions = new IntrospectionFallback(bus, service);
    readiness.addCheck(() => this.seq !== undefined);
  }

  /** Subscribes first, so that no change falls between snapshot and heartbeat. */
  start(): void {
    subscribeValidated(this.bus.connection, revocationFeedSubject, accessHeartbeatSchema, ({ seq }) => this.hear(seq));
    void this.refresh();
  }

  /** Whether what is known here was confirmed less than a second ago. */
  get fresh(): boolean {
    return performance.now() - this.confirmedAt < staleAfterMs;
  }

  entry(kind: AccessEntry['kind'], id: string): AccessEntry | undefined {
    return this.known.get(keyOf(kind, id))?.entry;
  }

  /** Called with every change, and without one when everything known before is void. */
  onChange(listener: (entry?: AccessEntry) => void): void {
    this.listeners.push(listener);
  }

  /** Whether a valid token is still good. @throws unavailable when that cannot be known: never a pass (product §4) */
  async check(token: TokenOrigin): Promise<'ok' | 'refused'> {
    if (this.fresh)
      return revocationReason(token, this.entry('app', token.client_id), this.entry('organization', token.org))
        ? 'refused'
        : 'ok';
    return this.questions.check(token);
  }

  private hear(seq: number): void {
    if (this.seq === undefined || seq > this.seq) {
      this.announced = Math.max(this.announced, seq);
      void this.refresh();
    } else if (seq === this.seq) {
      this.confirmedAt = performance.now();
    } else if (!this.fresh) {
      // A late heartbeat of one replica among others is nothing. Alone it means that the database was set back.
      this.logger.warn(`directory is at change ${seq} and we are at ${this.seq}; loading everything again`);
      this.startOver = true;
      void this.refresh();
    }
  }

  /**
   * Four times a second at the most while it finds nothing: a heartbeat that announces what directory does not have
   * makes no loop.
   */
  private async refresh(): Promise<void> {
    if (this.refreshing) return;
    this.refreshing = true;
    while (this.startOver || this.seq === undefined || this.seq < this.announced) {
      const before = this.startOver ? undefined : this.seq;
      try {
        await this.load();
      } catch (error) {
        this.logger.debug(`cannot load changes of access yet: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, retryAfter));
        continue;
      }
      if (this.seq === undefined || this.seq >= this.announced) continue;
      // Directory read its database after the heartbeat and knows of no such change: the heartbeat was not directory's.
      countDroppedMessage(
        revocationFeedSubject,
        'body',
        `it announced change ${this.announced}, and directory is at ${this.seq}`,
      );
      this.announced = this.seq;
      if (this.seq === before) await new Promise((resolve) => setTimeout(resolve, retryAfter));
    }
    this.refreshing = false;
  }

  private async load(): Promise<void> {
    const since = this.startOver ? 0 : (this.seq ?? 0);
    const began = performance.now();
    const { seq, entries } = await this.bus.request(accessChanges, { since }, systemContext(this.service));
    if (since === 0) {
      this.known.clear();
      this.announced = seq;
      this.tell();
    }
    const now = performance.now();
    for (const [key, { at }] of this.known) if (now - at > memory) this.known.delete(key);
    for (const entry of entries) {
      this.known.set(keyOf(entry.kind, entry.id), { entry, at: now });
      this.tell(entry);
    }
    this.seq = seq;
    this.startOver = false;
    this.confirmedAt = began;
  }

  private tell(entry?: AccessEntry): void {
    for (const listener of this.listeners) listener(entry);
  }
}
