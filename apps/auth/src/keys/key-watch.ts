import { Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { Interval } from '@holdfast/service';

/** Reads further back than a transaction may stay open (see databaseSetup), so that no change is missed. */
const changed = statement(
  'signing_key_changed',
  `SELECT issuer, (extract(epoch FROM max(changed_at)) * 1000)::bigint AS version FROM signing_key
   WHERE changed_at > now() - interval '30 seconds' GROUP BY issuer`,
);

/** Notifies listeners of keys that any replica has rotated. */
@Injectable()
export class KeyWatch {
  private readonly listeners: ((issuer: string, version: number) => void)[] = [];

  constructor(private readonly database: Database) {}

  onChange(listener: (issuer: string, version: number) => void): void {
    this.listeners.push(listener);
  }

  @Interval({
    name: 'signing_key_watch',
    // Every replica follows a rotation within a second.
    intervalMs: 500,
    due: "(SELECT max(changed_at) FROM signing_key) > now() - interval '30 seconds'",
    failure: 'Failed to look for rotated signing keys; this replica may sign with a key that was replaced',
  })
  async poll(): Promise<void> {
    const rows = await this.database.rows<{ issuer: string; version: number }>(changed);
    for (const { issuer, version } of rows) for (const listener of this.listeners) listener(issuer, version);
  }
}
