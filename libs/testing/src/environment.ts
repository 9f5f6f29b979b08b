import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

type Variable = 'TEST_DATABASE_URL' | 'TEST_NATS_BIN' | 'TEST_TMP';

/** A variable that the runner of the integration tests sets. */
function required(name: Variable): string {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `This test needs PostgreSQL and a nats-server (${name} is not set): ` +
        'run npm test, or node tools/test.mjs integration.',
    );
  return value;
}

/** URL of an ephemeral PostgreSQL server, as superuser. */
export function testDatabaseUrl(): string {
  return required('TEST_DATABASE_URL');
}

/** Path of the nats-server program. */
export function natsServerBinary(): string {
  return required('TEST_NATS_BIN');
}

/** The folder of this run of the tests. */
export function runFolder(): string {
  return required('TEST_TMP');
}

/** Creates a folder, which is deleted after the run. */
export function newTestFolder(purpose: string): string {
  return mkdtempSync(join(runFolder(), `${purpose}-`));
}
