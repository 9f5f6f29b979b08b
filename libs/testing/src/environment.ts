import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

type Given = 'TEST_DATABASE_URL' | 'TEST_NATS_BIN' | 'TEST_TMP';

/** What the runner of the integration tests gives to every suite. */
function given(name: Given): string {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `This test needs a PostgreSQL and a nats-server (${name} is not set): run npm test, or node tools/test.mjs integration.`,
    );
  return value;
}

/** URL of the superuser of a PostgreSQL that this run of the tests may do anything to. */
export function testDatabaseUrl(): string {
  return given('TEST_DATABASE_URL');
}

/** Path of a nats-server. */
export function natsServerBinary(): string {
  return given('TEST_NATS_BIN');
}

/** A new folder, gone with the run. */
export function newTestFolder(purpose: string): string {
  return mkdtempSync(join(given('TEST_TMP'), `${purpose}-`));
}
