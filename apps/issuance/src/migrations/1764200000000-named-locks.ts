import type { QueryRunner } from 'typeorm';
import { NamedLocks1764200000000 as NamedLocks } from '@holdfast/data';

export class NamedLocks1764200000000 extends NamedLocks {
  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    // The lock of the expiration worker: tryLock does not create its row.
    await runner.query(`INSERT INTO named_lock (name) VALUES ('expirations')`);
  }
}
