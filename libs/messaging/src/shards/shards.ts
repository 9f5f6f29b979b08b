import type { NatsConnection } from '@nats-io/transport-node';
import { mainShard } from '@holdfast/contracts';
import { unavailable, within } from '@holdfast/platform';
import type { Bus, ShardBuses } from '../requests/bus.js';
import type { OrganizationShards } from './organization-shards.js';

export interface ShardsOptions {
  /** NATS servers of each shard besides `main`, whose bus is the process's own. */
  urls: Readonly<Record<string, string>>;
  connect(url: string, signal: AbortSignal): Promise<NatsConnection>;
  busOf(connection: NatsConnection): Bus;
  organizations: OrganizationShards;
  /** How long a request waits for the first connection to its shard. */
  waitMs?: number;
}

/** A shard to which this process is connected. */
export interface ConnectedShard {
  name: string;
  bus: Bus;
}

/**
 * The buses of the shards, for the services that exist once for all of them. Each shard has a connection of its own,
 * which is made in the background: a shard that is down fails the requests of its own organizations and no others.
 */
export class Shards implements ShardBuses {
  private readonly connecting = new Map<string, Promise<ConnectedShard>>();
  private readonly connected = new Map<string, ConnectedShard>();
  private readonly listeners: ((shard: ConnectedShard) => Promise<void> | void)[] = [];
  private readonly abort = new AbortController();

  constructor(private readonly options: ShardsOptions) {}

  /** Whether there is a shard besides `main`. */
  get several(): boolean {
    return Object.keys(this.options.urls).length > 0;
  }

  get names(): string[] {
    return [mainShard, ...Object.keys(this.options.urls)];
  }

  /** Calls `listener` once for each shard besides `main`, when this process is connected to it. */
  onConnected(listener: (shard: ConnectedShard) => Promise<void> | void): void {
    this.listeners.push(listener);
  }

  /** Connects to every shard. Resolves when that is done, and after `waitMs` in any case. */
  async start(waitMs: number): Promise<void> {
    const names = Object.keys(this.options.urls);
    await Promise.allSettled(names.map((name) => within(waitMs, this.connect(name))));
  }

  of(org: string): Promise<string> {
    return this.options.organizations.of(org);
  }

  lookUpAgain(org: string): Promise<string> {
    return this.options.organizations.lookUpAgain(org);
  }

  async busFor(org: string): Promise<Bus | undefined> {
    const name = await this.of(org);
    if (name === mainShard) return undefined;
    const { urls, waitMs = 0 } = this.options;
    if (!Object.hasOwn(urls, name))
      throw unavailable(`SHARDS does not name the shard ${name}, which has this organization`, 10, {
        dependency: 'shard',
        cause: 'misdirected',
      });
    const shard = this.connected.get(name) ?? (await within(waitMs, this.connect(name)).catch(() => undefined));
    if (!shard) throw unavailable(`the message bus of the shard ${name} is unavailable`, 1, busDown);
    return shard.bus;
  }

  /** Each shard besides `main`. @throws unavailable when one of them is down */
  others(): Promise<ConnectedShard[]> {
    const { urls, waitMs = 0 } = this.options;
    return Promise.all(
      Object.keys(urls).map(async (name) => {
        const shard = this.connected.get(name) ?? (await within(waitMs, this.connect(name)).catch(() => undefined));
        if (!shard) throw unavailable(`the message bus of the shard ${name} is unavailable`, 1, busDown);
        return shard;
      }),
    );
  }

  async stop(): Promise<void> {
    this.abort.abort();
    for (const { bus } of this.connected.values()) await bus.connection.drain().catch(() => undefined);
  }

  private connect(name: string): Promise<ConnectedShard> {
    let connecting = this.connecting.get(name);
    if (!connecting) {
      connecting = this.open(name);
      this.connecting.set(name, connecting);
      // The next request tries again.
      connecting.catch(() => this.connecting.delete(name));
    }
    return connecting;
  }

  private async open(name: string): Promise<ConnectedShard> {
    const connection = await this.options.connect(this.options.urls[name]!, this.abort.signal);
    const shard = { name, bus: this.options.busOf(connection) };
    for (const listener of this.listeners) await listener(shard);
    this.connected.set(name, shard);
    return shard;
  }
}

const busDown = { dependency: 'nats', cause: 'bus' } as const;
