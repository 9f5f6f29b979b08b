import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { ChildProcessRegistry } from './child-process-registry.ts';
import { eventually, freePort, stateOfPort } from './ports.ts';
import { postgresFolder } from './postgres-home.ts';
import { postgresProgram, postgresUrl } from './postgres.ts';
import { hasEnded, spawnProgram, stopProgram } from './program.ts';

test('PostgreSQL keeps its commits after kill -9, and rejects a wrong password', async () => {
  const home = mkdtempSync(join(process.env.TEST_TMP ?? '', 'postgres-'));
  const options = {
    home,
    port: await freePort(),
    password: 'secret',
    logFile: join(home, 'postgres.log'),
    durable: true,
  };
  const children = new ChildProcessRegistry(home);
  const sql = async (text: string, password = options.password): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: postgresUrl({ ...options, password }, 'postgres') });
    await client.connect();
    try {
      return (await client.query<object>(text)).rows;
    } finally {
      await client.end();
    }
  };
  for (const step of ['first', 'again']) {
    const program = await postgresProgram(options);
    const server = spawnProgram(program, children);
    expect(await eventually(program.ready, 30_000)).toBe(true);
    if (step === 'first') {
      await sql('CREATE TABLE kept AS SELECT 1 AS one');
      server.kill('SIGKILL');
      await eventually(() => hasEnded(server), 5000);
    } else {
      expect(await sql('SELECT one FROM kept')).toEqual([{ one: 1 }]);
      await expect(sql('SELECT 1', 'wrong')).rejects.toThrow('password');
      await stopProgram(server, program);
      expect(server.exitCode).toBe(0);
    }
  }
  children.stopReaper();
  rmSync(postgresFolder(home), { recursive: true });
  expect(existsSync(options.logFile)).toBe(true);
});

test.each(['127.0.0.1', '0.0.0.0'])('stateOfPort returns "taken" for a port with a listener on %s', async (host) => {
  const port = await freePort();
  expect(await stateOfPort(port)).toBe('free');
  const server = createServer().listen(port, host);
  expect(await stateOfPort(port)).toBe('taken');
  await new Promise((resolve) => server.close(resolve));
});
