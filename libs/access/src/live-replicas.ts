import { maxRateLimitReplicas } from '@holdfast/contracts';

/** A replica that sent nothing while this many of the own messages came back has ended, or does not reach NATS. */
const missedUntilGone = 4;
/** After this many own messages every replica that runs has sent one. */
const returnsUntilKnown = 3;
/** An own message that returns later than this many others were sent proves nothing: it waited somewhere. */
const maxOutstanding = 2;

/**
 * The replicas of a service that run, from their messages. Its time is the own messages that come back from NATS, not a
 * clock: while NATS does not respond, or this process is paused, nobody seems to have ended, and the number of replicas
 * stays what it was.
 */
export class LiveReplicas {
  private readonly missed = new Map<string, number>();
  private sent = 0;
  private returned = 0;
  private returns = 0;

  constructor(private readonly own: string) {}

  /** Replicas that run, this one included. */
  get count(): number {
    return this.missed.size + 1;
  }

  /** Whether the others had the time to announce themselves. Before, this replica would take the whole quota. */
  get known(): boolean {
    return this.returns >= returnsUntilKnown;
  }

  /** Whether the own messages come back, so others get them too. */
  get reachable(): boolean {
    return this.sent - this.returned < maxOutstanding;
  }

  /** @returns the number of the next message */
  nextMessage(): number {
    this.sent += 1;
    return this.sent;
  }

  /** @returns whether the message is from another replica */
  receive({ replica, sent, leaving }: { replica: string; sent: number; leaving?: boolean | undefined }): boolean {
    if (replica === this.own) {
      this.handleReturn(sent);
      return false;
    }
    if (leaving) this.missed.delete(replica);
    else if (this.missed.has(replica) || this.count < maxRateLimitReplicas) this.missed.set(replica, 0);
    return true;
  }

  private handleReturn(sent: number): void {
    this.returned = Math.max(this.returned, sent);
    if (this.sent - sent >= maxOutstanding) return;
    this.returns += 1;
    for (const [replica, missed] of this.missed) {
      if (missed + 1 >= missedUntilGone) this.missed.delete(replica);
      else this.missed.set(replica, missed + 1);
    }
  }
}
