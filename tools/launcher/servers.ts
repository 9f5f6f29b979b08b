import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSupportedNatsVersion, minimumNatsVersion } from '@holdfast/contracts';
import { auditReaders, natsConfig, publicKeys, type Secrets } from '@holdfast/platform-policy';
import { displayPath, print, ReportedError } from '../infra/console.ts';
import { natsBinary, natsVersion } from '../infra/nats-binary.ts';
import { natsProgram, serverInfo } from '../infra/nats.ts';
import { freePort } from '../infra/ports.ts';
import { postgresProgram, postgresUrl } from '../infra/postgres.ts';
import type { Program } from '../infra/program.ts';
import { home } from '../setup/paths.mjs';
import { databaseName } from './database.ts';
import { nameOnShard } from './instances.ts';

/** A server of the stack: one that the launcher runs, or an external one. */
export interface Server {
  url: string;
  title: string;
  program?: Program;
  /** Writes the configuration that the program reads at a start and on SIGHUP. */
  configure?: (secrets: Secrets) => void;
  /** A database to connect to before Holdfast's own exists. */
  maintenanceUrl?: string;
}

export function logOf(name: string): string {
  return join(home, 'logs', `${name}.log`);
}

/** Folder of a shard's data; that of the stack for `main`. */
export function folderOf(shard: string | undefined): string {
  return shard === undefined ? home : join(home, 'shards', shard);
}

export async function planPostgres(secrets: Secrets, external: string | undefined, shard?: string): Promise<Server> {
  if (external) return { url: external, title: `the PostgreSQL of DATABASE_URL (${new URL(external).host})` };
  const access = { port: await freePort(), password: secrets.POSTGRES_PASSWORD! };
  return {
    url: postgresUrl(access, databaseName),
    maintenanceUrl: postgresUrl(access, 'postgres'),
    title: nameOnShard('PostgreSQL', shard),
    program: await postgresProgram({
      ...access,
      home: folderOf(shard),
      logFile: logOf(nameOnShard('postgres', shard)),
      durable: true,
    }),
  };
}

export async function planNats(secrets: Secrets, external: string | undefined, shard?: string): Promise<Server> {
  const port = external ? Number(new URL(external).port || 4222) : await freePort();
  const folder = join(folderOf(shard), 'nats');
  const configFile = join(folder, 'nats.conf');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const host = external ? '0.0.0.0' : '127.0.0.1';
  const storeDir = join(folder, 'jetstream');
  const configure = (from: Secrets) =>
    writeFileSync(
      configFile,
      natsConfig({ publicKeys: publicKeys(from), readers: auditReaders(from), host, port, storeDir }),
      { mode: 0o600 },
    );
  configure(secrets);
  if (external) return externalNats(external, port, configFile);
  const binary = await natsBinary();
  const program = natsProgram({ binary, configFile, port, folder, logFile: logOf(nameOnShard('nats', shard)) });
  const title = nameOnShard(`nats-server ${natsVersion(binary)}`, shard);
  return { url: `nats://127.0.0.1:${port}`, title, program, configure };
}

/** @throws ReportedError when there is no server, or one that is too old */
export async function externalNats(url: string, port: number, configFile: string): Promise<Server> {
  const { host, hostname } = new URL(url);
  const config = displayPath(configFile);
  const info = await serverInfo(hostname, port);
  if (!info?.jetstream)
    throw new ReportedError(
      `There is no nats-server with JetStream at ${host}. Start it with the users in ${config} ` +
        `(nats-server -c ${config}), or unset NATS_URL.`,
    );
  if (!isSupportedNatsVersion(info.version ?? '')) {
    throw new ReportedError(
      `The nats-server at ${host} is version ${info.version ?? 'unknown'}, and Holdfast needs ` +
        `${minimumNatsVersion} or newer. Upgrade it, or unset NATS_URL.`,
    );
  }
  print(`The nats-server at ${host} must have the users of ${config}.`);
  return { url, title: `the nats-server ${info.version} of NATS_URL (${host})` };
}
