import { notStoringPrefix } from '@holdfast/contracts';

/** Shorter failures end without a restart: nats-server 2.10 stores again a second after there is free space. */
const failingForMs = 20_000;
/** With less free space a restart does not help: JetStream cannot write. */
const minFreeBytes = 64 * 1_048_576;
const maxRestarts = 3;
/** The pause after the first restart; it doubles with each. */
const firstPauseMs = 60_000;
/** After this time without a failure, restarts are counted from zero. */
const resetAfterMs = 600_000;
/** JetStream's own limits (`max_file`, a stream's size), which a restart does not change. */
const limitErrors = /insufficient|exceeded|no stream takes/i;

export interface StoreObservation {
  nowMs: number;
  /** Remarks of services in `/readyz`. */
  remarks: string[];
  /** Free space on the disk of JetStream's files. */
  freeBytes: number;
}

/**
 * Decides when to restart nats-server: when services cannot store events although its disk has free space. Some
 * versions close a stream for good after a failed write, or block (docs/adr/0021-nats-server-version.md). A restart
 * opens it again and loses no event.
 */
export class StoreWatch {
  #sinceMs: number | undefined;
  #lastFailureMs = -Infinity;
  #restarts: number[] = [];
  #gaveUp = false;

  /** @returns the reason to restart it now; undefined when there is none */
  decide({ nowMs, remarks, freeBytes }: StoreObservation): string | undefined {
    const failure = remarks.find((remark) => remark.startsWith(notStoringPrefix) && !limitErrors.test(remark));
    if (nowMs - this.#lastFailureMs > resetAfterMs) [this.#restarts, this.#gaveUp] = [[], false];
    if (failure === undefined || freeBytes < minFreeBytes) {
      this.#sinceMs = undefined;
      return undefined;
    }
    this.#lastFailureMs = nowMs;
    this.#sinceMs ??= nowMs;
    const pauseMs = firstPauseMs * 2 ** (this.#restarts.length - 1);
    const isPaused = nowMs - (this.#restarts.at(-1) ?? -Infinity) < pauseMs;
    if (nowMs - this.#sinceMs < failingForMs || isPaused || this.#gaveUp) return undefined;
    if (this.#restarts.length === maxRestarts) {
      this.#gaveUp = true;
      return undefined;
    }
    this.#restarts.push(nowMs);
    this.#sinceMs = undefined;
    return (
      `${failure}. Its disk has free space (${Math.round(freeBytes / 1_048_576)} MiB); restarting nats-server ` +
      `(${this.#restarts.length} of ${maxRestarts})`
    );
  }

  /** True once all restarts have failed to help. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }
}
