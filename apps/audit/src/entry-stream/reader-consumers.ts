import { Injectable } from '@nestjs/common';
import type { Maker } from '@holdfast/contracts';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { EntryStream, type StreamState } from './entry-stream.js';

export interface ReaderRow {
  id: string;
  org: string;
  publicKey: string;
  createdAt: Date;
  stream: string;
  startSeq: number;
  makerType: Maker['type'] | null;
  makerId: string | null;
}

export const readerColumns =
  'id, org, public_key AS "publicKey", created_at AS "createdAt", stream, start_seq AS "startSeq", ' +
  'maker_type AS "makerType", maker_id AS "makerId"';

const selectServed = statement(
  'readers_served',
  `SELECT ${readerColumns} FROM audit_reader r WHERE ${isNotFenced('r.org')}`,
);

/** A JetStream consumer for each reader. PostgreSQL has the readers; JetStream's files may be lost. */
@Injectable()
export class ReaderConsumers {
  constructor(
    private readonly database: Database,
    private readonly entries: EntryStream,
  ) {}

  /** Creates what is missing, and deletes the consumers of readers that are gone or have moved to another shard. */
  async compare(stream: StreamState): Promise<void> {
    // Consumers first: each belongs to a reader that was stored before.
    const consumers = await this.entries.consumers();
    const readers = await this.database.rows<ReaderRow>(selectServed);
    const ids = new Set(readers.map(({ id }) => id));
    for (const id of consumers.keys()) if (!ids.has(id)) await this.entries.deleteConsumer(id);
    for (const reader of readers) if (!consumers.has(reader.id)) await this.add(reader, stream);
  }

  async add({ id, org, stream, startSeq }: ReaderRow, { created }: StreamState): Promise<void> {
    await this.entries.addConsumer({ id, org, streamSeq: stream === created ? startSeq : undefined });
  }
}
