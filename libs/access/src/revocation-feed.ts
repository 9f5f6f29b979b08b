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
import {
  personRevocationReason,
  revocationReason,
  type PersonTokenOrigin,
  type TokenOrigin,
} from './revocation-rule.js';

/** Below a second, so that a disabled app is refused within one, transit included. */
const staleAfterMs = 900;
/** Twice the lifetime of a token: older changes concern no valid token. */
const entryTtlMs = 20 * 60_000;
const retryAfterMs = 250;

const keyOf = (kind: AccessEntry['kind'], id: string) => `${kind} ${id}`;

/**
 * The access state of apps and organizations in gateway and auth, and of people in the gateway, which alone accepts
 * person tokens: a snapshot from directory, plus the changes that heartbeats announce. Without a heartbeat the state is
 * stale, and check() queries directory instead.
 */
export class RevocationFeed {
  private readonly logger = new Logger('revocation feed');
  private readonly fallback: IntrospectionFallback;
  private readonly entries = new Map<string, { entry: AccessEntry; loadedAt: number }>();
  private readonly listeners: ((entry?: AccessEntry) => void)[] = [];
  /** Newest loaded change; undefined before the snapshot. */
  private seq?: number;
  private announced = 0;
  /** The next load replaces everything. Until then the present entries count. */
  private reloadAll = true;
  private confirmedAt = -Infinity;
  private refreshing = false;

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
    readiness: Readiness,
  ) {
    this.fallback = new IntrospectionFallback(bus, service);
    readiness.addCheck(() => this.seq !== undefined);
  }

  /** Subscribes before it loads the snapshot, so that no change is missed in between. */
  start(): void {
    subscribeValidated(this.bus.connection, revocationFeedSubject, accessHeartbeatSchema, ({ seq }) =>
      this.handleHeartbeat(seq),
    );
    void this.refresh();
  }

  /** Whether a heartbeat has confirmed the state recently. */
  get fresh(): boolean {
    return performance.now() - this.confirmedAt < staleAfterMs;
  }

  entry(kind: AccessEntry['kind'], id: string): AccessEntry | undefined {
    return this.entries.get(keyOf(kind, id))?.entry;
  }

  /** Calls `listener` with every change, and with undefined when everything is loaded again. */
  onChange(listener: (entry?: AccessEntry) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Whether a token that is otherwise valid has been revoked. @throws unavailable when that is unknown: never a pass
   * (product §4)
   */
  async check(token: TokenOrigin): Promise<'valid' | 'revoked'> {
    if (this.fresh)
      return revocationReason(token, this.entry('app', token.client_id), this.entry('organization', token.org))
        ? 'revoked'
        : 'valid';
    return this.fallback.check(token);
  }

  /** The same for a person token. */
  async checkPerson(token: PersonTokenOrigin): Promise<'valid' | 'revoked'> {
    if (!this.fresh) return this.fallback.checkPerson(token);
    const [person, hub] = [this.entry('person', token.sub), this.entry('app', token.client_id)];
    return personRevocationReason(token, person, hub, this.entry('organization', token.org)) ? 'revoked' : 'valid';
  }

  private handleHeartbeat(seq: number): void {
    if (this.seq === undefined || seq > this.seq) {
      this.announced = Math.max(this.announced, seq);
      void this.refresh();
    } else if (seq === this.seq) {
      this.confirmedAt = performance.now();
    } else if (!this.fresh) {
      // While other heartbeats arrive, an older one is only late. Without others the database was restored to an older
      // state.
      this.logger.warn(`directory is at change ${seq}, and ${this.seq} is loaded here; loading everything again`);
      this.reloadAll = true;
      void this.refresh();
    }
  }

  /**
   * Loads changes until all announced ones are loaded. If a heartbeat announces a change that directory does not have,
   * it queries four times a second at most.
   */
  private async refresh(): Promise<void> {
    if (this.refreshing) return;
    this.refreshing = true;
    // After the connection is closed no load can succeed; a loop without an end would keep the process running.
    while (!this.bus.connection.isClosed() && (this.reloadAll || (this.seq ?? -1) < this.announced)) {
      const before = this.reloadAll ? undefined : this.seq;
      const { announced } = this;
      try {
        await this.load();
      } catch (error) {
        this.logger.debug(`Failed to load access changes; retrying in ${retryAfterMs} ms: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
        continue;
      }
      // A change that was announced meanwhile may be newer than what directory read.
      if (this.seq === undefined || this.seq >= announced) continue;
      // Directory read its database after the heartbeat and has no such change, so the heartbeat is forged.
      countDroppedMessage(
        revocationFeedSubject,
        'body',
        `it announced change ${announced}, and directory is at ${this.seq}`,
      );
      this.announced = this.seq;
      if (this.seq === before) await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
    }
    this.refreshing = false;
  }

  private async load(): Promise<void> {
    const since = this.reloadAll ? 0 : (this.seq ?? 0);
    const query = { since, ...(this.service === 'gateway' && { people: true }) };
    const startedAt = performance.now();
    const { seq, entries } = await this.bus.request(accessChanges, query, systemContext(this.service));
    if (since === 0) {
      this.entries.clear();
      this.announced = seq;
      this.notify();
    }
    const now = performance.now();
    for (const [key, { loadedAt }] of this.entries) if (now - loadedAt > entryTtlMs) this.entries.delete(key);
    for (const entry of entries) {
      this.entries.set(keyOf(entry.kind, entry.id), { entry, loadedAt: now });
      this.notify(entry);
    }
    this.seq = seq;
    this.reloadAll = false;
    this.confirmedAt = startedAt;
  }

  private notify(entry?: AccessEntry): void {
    for (const listener of this.listeners) listener(entry);
  }
}
