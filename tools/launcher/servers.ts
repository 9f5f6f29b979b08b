import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromSeed } from '@nats-io/nkeys';
import { isSupportedNatsVersion, minimumNatsVersion, type BusUser } from '@holdfast/contracts';
import { natsConfig } from '@holdfast/platform-policy';
import { natsBinary, natsVersion } from '../infra/nats-binary.ts';
import { greeting, natsProgram } from '../infra/nats.ts';
import { freePort } from '../infra/ports.ts';
import { postgresProgram, postgresUrl } from '../infra/postgres.ts';
import type { Program } from '../infra/program.ts';
import { ReportedError, say, shown } from '../infra/say.ts';
import { home } from '../setup/paths.mjs';
import { databaseName } from './database.ts';
import type { Secrets } from './secrets.ts';

/** A server of the stack: one that we run, or somebody else's of which we know the address only. */
export interface Server {
  url: string;
  title: string;
  program?: Program;
  /** Where to connect before our own database exists. */
  maintenanceUrl?: string;
}

export function logOf(name: string): string {
  return join(home, 'logs', `${name}.log`);
}

export async function planPostgres(secrets: Secrets, external: string | undefined): Promise<Server> {
  if (external) return { url: external, title: `the PostgreSQL of DATABASE_URL (${new URL(external).host})` };
  const access = { port: await freePort(), password: secrets.postgresPassword };
  return {
    url: postgresUrl(access, databaseName),
    maintenanceUrl: postgresUrl(access, 'postgres'),
    title: 'PostgreSQL',
    program: await postgresProgram({ ...access, home, logFile: logOf('postgres'), durable: true }),
  };
}

export async function planNats(secrets: Secrets, external: string | undefined): Promise<Server> {
  const port = external ? Number(new URL(external).port || 4222) : await freePort();
  const folder = join(home, 'nats');
  const configFile = join(folder, 'nats.conf');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const host = external ? '0.0.0.0' : '127.0.0.1';
  writeFileSync(
    configFile,
    natsConfig({ publicKeys: publicKeys(secrets), host, port, storeDir: join(folder, 'jetstream') }),
    { mode: 0o600 },
  );
  if (external) return externalNats(external, port, configFile);
  const binary = await natsBinary();
  const program = natsProgram({ binary, configFile, port, folder, logFile: logOf('nats') });
  return { url: `nats://127.0.0.1:${port}`, title: `nats-server ${natsVersion(binary)}`, program };
}

/** @throws ReportedError when nobody answers there, or a server that is too old */
export async function externalNats(url: string, port: number, configFile: string): Promise<Server> {
  const { host, hostname } = new URL(url);
  const config = shown(configFile);
  const info = await greeting(hostname, port);
  if (!info?.jetstream)
    throw new ReportedError(
      `No nats-server with JetStream answers at ${host}; start it with the users in ${config} (nats-server -c ${config}), or leave NATS_URL out.`,
    );
  if (!isSupportedNatsVersion(info.version ?? '')) {
    throw new ReportedError(
      `The nats-server at ${host} is version ${info.version ?? 'unknown'}, and Holdfast needs ${minimumNatsVersion} or newer; upgrade it, or leave NATS_URL out.`,
    );
  }
  say(`The nats-server at ${host} must know the users in ${config}.`);
  return { url, title: `the nats-server ${info.version} of NATS_URL (${host})` };
}

/** The NKeys under which a nats-server knows its users. */
export function publicKeys(secrets: Secrets): Record<BusUser, string> {
  const pairs = Object.entries(secrets.nkeySeeds).map(([user, seed]) => [
    user,
    fromSeed(Buffer.from(seed)).getPublicKey(),
  ]);
  return Object.fromEntries(pairs) as Record<BusUser, string>;
}
