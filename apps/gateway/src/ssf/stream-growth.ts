import type { NatsConnection } from '@nats-io/transport-node';
import { Injectable } from '@nestjs/common';
import { streamGrowthSchema, streamGrowthSubject } from '@holdfast/contracts';
import { Bus, Shards, subscribeValidated } from '@holdfast/messaging';

/** The hints of signals that streams of an organization may have tokens, for polls that wait. */
@Injectable()
export class StreamGrowth {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(bus: Bus, shards: Shards) {
    this.listen(bus.connection);
    shards.onConnected(({ bus: ofShard }) => this.listen(ofShard.connection));
  }

  /** To be called before the stream is read, so that no hint is missed in between. @returns how to wait, and to end */
  follow(org: string): { next: (timeoutMs: number, signal: AbortSignal) => Promise<void>; leave: () => void } {
    let isDue = false;
    let wake: (() => void) | undefined;
    const note = () => {
      isDue = true;
      wake?.();
    };
    const others = this.waiting.get(org) ?? new Set();
    this.waiting.set(org, others.add(note));
    return {
      next: (timeoutMs, signal) =>
        new Promise((resolve) => {
          const finish = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', finish);
            wake = undefined;
            isDue = false;
            resolve();
          };
          const timer = setTimeout(finish, timeoutMs);
          signal.addEventListener('abort', finish);
          wake = finish;
          if (isDue || signal.aborted) finish();
        }),
      leave: () => {
        others.delete(note);
        if (others.size === 0) this.waiting.delete(org);
      },
    };
  }

  private listen(connection: NatsConnection): void {
    subscribeValidated(connection, streamGrowthSubject, streamGrowthSchema, (orgs) => {
      for (const org of orgs) for (const note of this.waiting.get(org) ?? []) note();
    });
  }
}
