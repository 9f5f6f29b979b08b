import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { AppError, KeyEncryption, seal, unseal, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { exportKeyContext } from '../privacy/key-encryption.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Bytes of the file in one row, before compression. As base64 they fit into one message of the bus. */
export const chunkBytes = 262_144;

const selectChunk = statement(
  'export_chunk_at',
  `SELECT e.key, c.start, c.data
     FROM export e, LATERAL (
       SELECT start, data FROM export_chunk WHERE export = e.id AND start <= $3 ORDER BY start DESC LIMIT 1) c
    WHERE e.org = $1 AND e.id = $2 AND ($4 OR e.state = 'ready') AND $3 < e.bytes`,
);

/** A part of a file as it is stored. */
export interface SealedChunk {
  start: number;
  length: number;
  data: Buffer;
}

const contextOf = (id: string, start: number) => `audit export ${id}/${start}`;

/** The parts of files, compressed and encrypted with the key of their export. */
@Injectable()
export class ExportChunks {
  private readonly encryption: KeyEncryption;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: KeyEncryptionConfig,
  ) {
    this.encryption = new KeyEncryption(config, 'audit');
  }

  /** @throws unavailable when no KEY_ENCRYPTION_KEY decrypts it */
  keyOf(org: string, id: string, sealed: Buffer): Buffer {
    const key = this.encryption.decrypt(sealed, exportKeyContext(org, id));
    if (!key) throw new Error(`KEY_ENCRYPTION_KEY does not decrypt the key of export ${id}`);
    return key;
  }

  /** Divides bytes of a file that begin at `start` into chunks. */
  async sealed(key: Buffer, id: string, start: number, bytes: Buffer): Promise<SealedChunk[]> {
    const chunks: SealedChunk[] = [];
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const part = bytes.subarray(at, at + chunkBytes);
      const data = seal(key, await deflate(part, { level: 3 }), contextOf(id, start + at));
      chunks.push({ start: start + at, length: part.length, data });
    }
    return chunks;
  }

  /**
   * The bytes of the file from `offset` to the end of a chunk. `unfinished`: the worker reads a file that is not ready.
   * @throws invalid_state when there is no file, or it ends before
   */
  async read(org: string, id: string, offset: number, unfinished = false): Promise<Buffer> {
    const [row] = await this.database.rows<{ key: Buffer; start: number; data: Buffer }>(selectChunk, [
      ...[org, id, offset, unfinished],
    ]);
    if (!row) throw new AppError('invalid_state', 'The export has no file, or it ends before this byte.');
    const part = await inflate(unseal(this.keyOf(org, id, row.key), row.data, contextOf(id, row.start)));
    return part.subarray(offset - row.start);
  }
}
