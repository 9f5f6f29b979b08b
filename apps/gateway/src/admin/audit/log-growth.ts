import type { NatsConnection } from '@nats-io/transport-node';
import { Injectable } from '@nestjs/common';
import { logGrowthSchema, logGrowthSubject } from '@holdfast/contracts';
import { Bus, Shards, subscribeValidated } from '@holdfast/messaging';

/** Somebody who follows the log of an organization. */
export interface Follower {
  /** True once the log has grown beyond `after`; false after `timeoutMs`, or when `signal` aborts. */
  waitBeyond(after: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  leave(): void;
}

/** Audit's hints which logs have grown, for those who follow one. After a lost hint they wait until they read again. */
@Injectable()
export class LogGrowth {
  private readonly followers = new Map<string, Set<LogFollower>>();

  constructor(bus: Bus, shards: Shards) {
    this.listen(bus.connection);
    shards.onConnected(({ bus: ofShard }) => this.listen(ofShard.connection));
  }

  /** To be called before the log is read, so that no growth is missed in between. */
  follow(org: string): Follower {
    const follower = new LogFollower(() => {
      const others = this.followers.get(org);
      others?.delete(follower);
      if (others?.size === 0) this.followers.delete(org);
    });
    const others = this.followers.get(org);
    if (others) others.add(follower);
    else this.followers.set(org, new Set([follower]));
    return follower;
  }

  private listen(connection: NatsConnection): void {
    subscribeValidated(connection, logGrowthSubject, logGrowthSchema, (grown) => {
      for (const [org, seq] of grown) for (const follower of this.followers.get(org) ?? []) follower.grow(seq);
    });
  }
}

class LogFollower implements Follower {
  private end = 0;
  private wake: (() => void) | undefined;

  constructor(readonly leave: () => void) {}

  grow(seq: number): void {
    this.end = Math.max(this.end, seq);
    this.wake?.();
  }

  async waitBeyond(after: number, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + timeoutMs;
    for (let leftMs = timeoutMs; this.end <= after && leftMs > 0 && !signal.aborted; leftMs = until - performance.now())
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          this.wake = undefined;
          resolve();
        };
        const timer = setTimeout(finish, leftMs);
        signal.addEventListener('abort', finish);
        this.wake = finish;
      });
    return this.end > after;
  }
}
