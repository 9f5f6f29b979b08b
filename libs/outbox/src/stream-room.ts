/**
 * From this share of its maximum size on, a stream may discard events before its size is read again. Acknowledgements
 * of consumers then prove nothing, since a consumer skips discarded events.
 */
const crowdedShare = 0.75;
/** Below this share the stream has room for events that are published again. */
const roomyShare = 0.5;
/** A process that stood still for longer than this cannot know what the stream has discarded meanwhile. */
const maxStateAgeMs = 10_000;
/** An upper bound for what JetStream stores of a message besides its body: subject, id and its own data. */
const overheadBytes = 256;

/** How full a stream is: its size when it was read last, and the bytes that were published since. */
export class StreamRoom {
  /**
   * The stream may have discarded events that a consumer has not received. They are published again once there is room.
   */
  isCrowded = false;
  private bytes = 0;
  private maxBytes = Infinity;
  private publishedBytes = 0;
  private readAt = performance.now();

  get isRoomy(): boolean {
    return this.filledShare < roomyShare;
  }

  /** An estimate between two readings of the stream's size. */
  private get filledShare(): number {
    return (this.bytes + this.publishedBytes) / this.maxBytes;
  }

  takePublished(payload: string): void {
    this.publishedBytes += payload.length + overheadBytes;
    if (this.filledShare > crowdedShare) this.isCrowded = true;
  }

  /** The rows that the stream has room for: publishing events again must not make it discard new ones. */
  fitting<Row extends { payload: string }>(rows: Row[]): Row[] {
    let roomBytes = this.maxBytes * roomyShare - this.bytes - this.publishedBytes;
    const end = rows.findIndex(({ payload }) => (roomBytes -= payload.length + overheadBytes) < 0);
    return end < 0 ? rows : rows.slice(0, end);
  }

  takeState({ bytes, maxBytes }: { bytes: number; maxBytes: number }): void {
    if (performance.now() - this.readAt > maxStateAgeMs) this.isCrowded = true;
    Object.assign(this, { bytes, maxBytes, publishedBytes: 0, readAt: performance.now() });
    if (this.filledShare > crowdedShare) this.isCrowded = true;
  }

  /** Every event was confirmed. */
  takeEmpty(): void {
    this.takeState({ bytes: 0, maxBytes: this.maxBytes });
    this.isCrowded = false;
  }
}
