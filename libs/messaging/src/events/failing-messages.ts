/** A server may need this long to restart, and its absence is reported by itself. */
const remarkedAfterMs = 10_000;
/** Longer than the wait for the next delivery. Another replica may have applied what is not delivered here again. */
const forgottenAfterMs = 60_000;
const maxMessages = 10_000;

interface Failing {
  sinceMs: number;
  lastMs: number;
  reason: string;
}

/** Messages that a consumer could not apply and will get again, for the operator. */
export class FailingMessages {
  private readonly byId = new Map<string, Failing>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param reason without data of the event */
  add(ids: readonly string[], reason: string): void {
    const nowMs = this.now();
    for (const id of ids) {
      if (this.byId.size >= maxMessages) this.byId.clear();
      this.byId.set(id, { sinceMs: this.byId.get(id)?.sinceMs ?? nowMs, lastMs: nowMs, reason });
    }
  }

  /** Applied or quarantined. */
  remove(id: string): void {
    if (this.byId.size > 0) this.byId.delete(id);
  }

  /** What an operator should know; undefined when none has failed for long. */
  remark(stream: string): string | undefined {
    const nowMs = this.now();
    for (const [id, { lastMs }] of this.byId) if (nowMs - lastMs > forgottenAfterMs) this.byId.delete(id);
    const all = [...this.byId.values()];
    const oldest = all.reduce<Failing | undefined>((a, b) => (a && a.sinceMs <= b.sinceMs ? a : b), undefined);
    if (!oldest || nowMs - oldest.sinceMs < remarkedAfterMs) return undefined;
    const seconds = Math.round((nowMs - oldest.sinceMs) / 1000);
    return `${all.length} messages of ${stream} could not be applied, the oldest for ${seconds} s: ${oldest.reason}`;
  }
}
