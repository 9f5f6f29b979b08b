import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { services } from '@holdfast/contracts';
import { DatabaseHost, eventually, runbookBlock } from '@holdfast/testing';
import { PrivateStack } from '../chaos/private-stack.ts';
import { root } from '../stack/stack.ts';

/** How a restore went. */
export interface Restored {
  /** What the dry run of `holdfast restore` says about audit logs. */
  named: string;
  /** When the database was lost, by performance.now(). */
  lostAt: number;
  /** From the loss until the database accepts changes. */
  databaseMs: number;
  /** From the loss until all services are ready again. */
  servicesMs: number;
}

const database = 'holdfast';

/**
 * A stack whose database is on a host of its own, with PostgreSQL's programs. Backups and restores execute the commands
 * of docs/runbook.md.
 */
export class RestorableStack extends PrivateStack {
  readonly #host: DatabaseHost;
  /** Name of the data folder, another one after each restore. */
  #data = 'data-1';

  constructor(home: string, bin: string) {
    super(home, 'gateway=2,subjects=2');
    this.#host = new DatabaseHost(bin, join(root, 'apps', 'cli', 'dist', 'main.js'));
  }

  override async start(): Promise<void> {
    await this.#host.create(this.#data, '', database);
    this.settings = { DATABASE_URL: this.#host.url(database) };
    await super.start();
    await this.#receive();
    await this.#run(runbookBlock('synchronous_standby_names'));
  }

  override async remove(): Promise<void> {
    await super.remove();
    await this.#host.remove();
  }

  /** @returns the size of the backup */
  async takeBackup(kind: 'base' | 'dump'): Promise<string> {
    await this.#run(runbookBlock(kind === 'base' ? 'pg_basebackup' : 'pg_dump'));
    return sizeOf(this.#host.backupOf(kind));
  }

  async copyLedger(): Promise<void> {
    await this.#run(runbookBlock('holdfast backup erasure-ledger'));
  }

  /** Loses the database, restores the base backup, and the write-ahead log to its end. */
  async loseAndRecover(options: { loseStreams: boolean }): Promise<Restored & { logSize: string }> {
    let logSize = '';
    const restored = await this.#loseAndRestore(options.loseStreams, async (data) => {
      const variables = { BASE_BACKUP: this.#host.backupOf('base'), PGDATA: join(this.#host.folder, data) };
      await this.#run(runbookBlock('tar -xzf'), variables);
      const log = join(this.#host.backups, 'wal');
      logSize = sizeOf(log);
      this.#host.configure(data, runbookBlock('restore_command', '').replaceAll('/backup/wal', log));
      await this.#host.start(data);
      this.#host.newBackups(`backup-of-${data}`);
      await this.#receive();
    });
    return { ...restored, logSize };
  }

  /** Loses the database and all streams, and restores the dump. */
  loseAndLoadDump(): Promise<Restored> {
    return this.#loseAndRestore(true, async (data) => {
      await this.#host.create(data, '', database);
      await this.operator('database', 'setup');
      await this.#run(runbookBlock('pg_restore').replace(/\$BACKUP_DIR\/dump-\w+/, this.#host.backupOf('dump')));
    });
  }

  /** `restore` starts the server with a new data folder. */
  async #loseAndRestore(loseStreams: boolean, restore: (data: string) => Promise<void>): Promise<Restored> {
    const lostAt = performance.now();
    await this.#host.lose(this.#data);
    await this.#host.stopReceiver();
    await this.#services('stop');
    if (loseStreams) await this.#loseStreams();
    // This folder is on another machine than the database, and so is its copy.
    await this.#run(runbookBlock('cp -R "$CHECKPOINT_DIR'), { CHECKPOINT_DIR: join(this.home, 'checkpoints') });
    const from = { BACKUP_DIR: this.#host.backups };
    this.#data = this.#data.replace(/\d+/, (n) => String(Number(n) + 1));
    await restore(this.#data);
    const databaseMs = performance.now() - lostAt;
    const named = await this.#run(runbookBlock('--dry-run'), from);
    await this.#run(runbookBlock('holdfast restore --ledger "$BACKUP_DIR/erased.csv"\n'), from);
    await this.operator('bus', 'declare');
    await this.#services('start');
    return { named, lostAt, databaseMs, servicesMs: performance.now() - lostAt };
  }

  async #loseStreams(): Promise<void> {
    await this.control('stop', 'nats');
    this.deleteJetStream();
    await this.control('start', 'nats');
  }

  async #services(action: 'stop' | 'start'): Promise<void> {
    await Promise.all(Object.keys(services).map((service) => this.control(action, service)));
  }

  /** Starts the receiver of the write-ahead log. Resolves when it receives. */
  async #receive(): Promise<void> {
    const [createSlot = '', receive = ''] = runbookBlock('pg_receivewal').trim().split('\n');
    await this.#run(createSlot);
    this.#host.startReceiver(receive, database);
    await eventually(
      async () =>
        (await this.#host.query(database, `SELECT FROM pg_stat_replication WHERE state = 'streaming'`)).length > 0,
      'the receiver of the write-ahead log',
    );
  }

  #run(commands: string, variables?: Record<string, string>): Promise<string> {
    return this.#host.shell(commands, database, variables);
  }
}

function sizeOf(path: string): string {
  return execFileSync('du', ['-sh', path], { encoding: 'utf8' }).split('\t')[0]!;
}
