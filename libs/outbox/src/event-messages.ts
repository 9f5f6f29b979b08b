import { maxEventsPerMessage } from '@holdfast/contracts';
import type { OutboxRow } from './outbox-row.js';

/** Far below the maximum of a message, 1 MiB, even if each character takes three bytes. */
const maxCharacters = 131_072;

interface EventMessage {
  rows: OutboxRow[];
  characters: number;
}

/**
 * Distributes the events of some changes among messages. Those of one subject share a message if it is one of
 * `batchedSubjects`. The events of one change keep their order, and so do those of one aggregate.
 *
 * An event that was released from quarantine has a message of its own: a consumer of an earlier version cannot read the
 * others.
 */
export function messagesOf(changes: readonly OutboxRow[][], batchedSubjects: readonly string[]): OutboxRow[][] {
  const messages: EventMessage[] = [];
  /** Where further events of a subject go. */
  const open = new Map<string, number>();
  /** Where the last event of an aggregate is. */
  const last = new Map<string, number>();
  for (const rows of changes) {
    let earliest = 0;
    for (const row of rows) {
      earliest = Math.max(earliest, last.get(row.aggregate) ?? 0);
      const isBatched = batchedSubjects.includes(row.subject) && !row.retries;
      const shared = isBatched ? open.get(row.subject) : undefined;
      if (shared !== undefined && shared >= earliest && hasRoom(messages[shared]!, row)) earliest = shared;
      else {
        earliest = messages.push({ rows: [], characters: 0 }) - 1;
        if (isBatched) open.set(row.subject, earliest);
      }
      last.set(row.aggregate, earliest);
      const message = messages[earliest]!;
      message.rows.push(row);
      message.characters += row.payload.length;
    }
  }
  return messages.map(({ rows }) => rows);
}

function hasRoom({ rows, characters }: EventMessage, { payload }: OutboxRow): boolean {
  return rows.length < maxEventsPerMessage && characters + payload.length <= maxCharacters;
}

/** One event is the body of its message. Several are an array. */
export function bodyOf(rows: readonly OutboxRow[]): string {
  return rows.length === 1 ? rows[0]!.payload : `[${rows.map(({ payload }) => payload).join()}]`;
}
