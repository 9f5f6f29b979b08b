import { notStoringPrefix } from '@holdfast/contracts';

/** A fault that lasts shorter mends itself: nats-server 2.10 stores again a second after there is room. */
const waitMs = 20_000;
/** Then it is no fault of the server: a disk must have room for what JetStream writes at once. */
export const roomBytes = 64 * 1_048_576;
const mostRestarts = 3;
/** Between two restarts, twice as long each time. */
const pauseMs = 60_000;
/** After that long without a failure all is forgotten. */
const forgetMs = 600_000;
/** JetStream's own bounds (`max_file`, a stream's size): a restart changes nothing about them. */
const ofItsBounds = /insufficient|exceeded|no stream takes/i;

export interface StoreSeen {
  nowMs: number;
  /** What services say in `/readyz`. */
  remarks: string[];
  /** Room on the disk of JetStream's files. */
  freeBytes: number;
}

/**
 * Decides when nats-server is to be restarted: when services cannot store events though its disk has room. Some
 * versions close a stream for good after a failed write, or block (docs/adr/0021-nats-server-version.md); a restart
 * opens it again, and costs no event.
 */
export class StoreWatch {
  #sinceMs: number | undefined;
  #lastFailureMs = -Infinity;
  #restarts: number[] = [];
  #gaveUp = false;

  /** @returns why it should be restarted now; undefined when it should not */
  decide({ nowMs, remarks, freeBytes }: StoreSeen): string | undefined {
    const said = remarks.find((remark) => remark.startsWith(notStoringPrefix) && !ofItsBounds.test(remark));
    if (nowMs - this.#lastFailureMs > forgetMs) [this.#restarts, this.#gaveUp] = [[], false];
    if (said === undefined || freeBytes < roomBytes) {
      this.#sinceMs = undefined;
      return undefined;
    }
    this.#lastFailureMs = nowMs;
    this.#sinceMs ??= nowMs;
    const rested = nowMs - (this.#restarts.at(-1) ?? -Infinity) >= pauseMs * 2 ** (this.#restarts.length - 1);
    if (nowMs - this.#sinceMs < waitMs || !rested || this.#gaveUp) return undefined;
    if (this.#restarts.length === mostRestarts) {
      this.#gaveUp = true;
      return undefined;
    }
    this.#restarts.push(nowMs);
    this.#sinceMs = undefined;
    return `${said}. Its disk has room (${Math.round(freeBytes / 1_048_576)} MiB); restarting nats-server, ${this.#restarts.length} of ${mostRestarts} times`;
  }

  /** True once all restarts were of no use. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }
}
