export interface OutboxRow {
  id: string;
  /** Whom the event is about. */
  aggregate: string;
  /** JetStream subject. */
  subject: string;
  /** The event as JSON. */
  payload: string;
  /** How often the event was released from quarantine, and when last. */
  retries?: number;
  releasedAt?: string | null;
  /** The shard whose services get the event; absent for the service's own bus. */
  shard?: string | undefined;
}
