import { Injectable } from '@nestjs/common';

/** How long a change may stay unknown that another replica has made, and that it has left when it was killed. */
const scanIntervalMs = 30_000;

/**
 * The logs that one consumer has to read: those that this replica has changed, at once, and all logs, at first and then
 * every 30 s, since this replica knows nothing of what others have left.
 */
export class LogsToRead {
  private orgs = new Set<string>();
  private nextScanAtMs = -Infinity;

  add(orgs: Iterable<string>): void {
    for (const org of orgs) this.orgs.add(org);
  }

  /**
   * Hands over the logs to read, or undefined when it is time to find them among all logs. If `read` fails, the next
   * call hands over the same.
   */
  async take<T>(read: (orgs: readonly string[] | undefined) => Promise<T>, nowMs = performance.now()): Promise<T> {
    const taken = this.orgs;
    const isScan = nowMs >= this.nextScanAtMs;
    this.orgs = new Set();
    try {
      const result = await read(isScan ? undefined : [...taken]);
      if (isScan) this.nextScanAtMs = nowMs + scanIntervalMs;
      return result;
    } catch (error) {
      this.add(taken);
      throw error;
    }
  }
}

/** Tells consumers in this replica which logs have changed, so that none of them looks for those among all logs. */
abstract class ChangedLogs {
  private readonly consumers: LogsToRead[] = [];

  consumer(): LogsToRead {
    const consumer = new LogsToRead();
    this.consumers.push(consumer);
    return consumer;
  }

  add(orgs: Iterable<string>): void {
    const changed = [...orgs];
    for (const consumer of this.consumers) consumer.add(changed);
  }
}

/** Logs to which this replica has appended. */
@Injectable()
export class GrownLogs extends ChangedLogs {}

/** Logs for which this replica has signed a checkpoint. */
@Injectable()
export class SignedLogs extends ChangedLogs {}
