import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { repeat, Shutdown } from '@holdfast/service';

/** Ms between two looks: with it every replica follows a rotation within a second. */
const every = 500;

/** Longer than a transaction may stay open (see databaseSetup), so that no change falls between two looks. */
const changed = statement(
  'signing_key_changed',
  `SELECT issuer, (extract(epoch FROM max(changed_at)) * 1000)::bigint AS version FROM signing_key WHERE changed_at > now() - interval '30 seconds' GROUP BY issuer`,
);

/** Tells of keys that another replica has rotated. */
@Injectable()
export class KeyWatch implements OnApplicationBootstrap {
  private readonly logger = new Logger('keys');
  private readonly listeners: ((issuer: string, version: number) => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
  ) {}

  onChange(listener: (issuer: string, version: number) => void): void {
    this.listeners.push(listener);
  }

  onApplicationBootstrap(): void {
    repeat(this.shutdown, {
      every,
      work: () => this.look(),
      failed: (error) => this.logger.debug(`cannot look for changed keys: ${String(error)}`),
    });
  }

  private async look(): Promise<void> {
    const rows = await this.database.rows<{ issuer: string; version: number }>(changed);
    for (const { issuer, version } of rows) for (const listener of this.listeners) listener(issuer, version);
  }
}
