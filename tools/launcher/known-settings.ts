import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { serviceNames } from '@holdfast/contracts';
import { envFile, given } from '../setup/settings.mjs';

/** Settings of services that the launcher sets by itself, from its own options, its ports and secrets.json. */
const managed = new Set([
  'AUDIT_SIGNING_KEYS',
  'AUTH_URLS',
  'BASE_URL',
  'CHECKPOINT_DIR',
  'COOKIE_KEY',
  'COOKIE_KEY_PREVIOUS',
  'DATABASE_PASSWORD_FILE',
  'DATABASE_URL',
  'HOLDFAST_EXIT_WITH_PARENT',
  'HOLDFAST_REPLICA',
  'HTTP_HOST',
  'HTTP_PORT',
  'KEY_ENCRYPTION_KEY',
  'KEY_ENCRYPTION_KEY_PREVIOUS',
  'NATS_NKEY_SEED',
  'NATS_URL',
  'OPS_HOST',
  'OPS_PORT',
  'PAGE_TOKEN_KEY',
  'PRESENCE_KEY',
  'PRESENCE_KEY_PREVIOUS',
  'SECRET_PEPPER',
]);

/** What the launcher, its tests and the example shop read themselves. */
const ofTheLauncher = new Set([
  'DATABASE_URL',
  'HOLDFAST_ENV_FILE',
  'HOLDFAST_HOME',
  'HOLDFAST_NO_BROWSER',
  'KIOSK_PORT',
  'NATS_NKEY_SEED',
  'NATS_URL',
  'OUTBOUND_ALLOW',
  'PORT',
  'SHOP_DATA',
  'SHOP_PORT',
]);

/**
 * The settings that services of these builds declare in their config schemas and that a caller may set. What no schema
 * declares reaches no service.
 */
export async function knownSettings(builds: string[]): Promise<ReadonlySet<string>> {
  const schemas = [...new Set(builds)].flatMap((build) =>
    serviceNames.map((service) => join(build, 'apps', service, 'dist', 'config.js')),
  );
  const declared = await Promise.all(schemas.filter((path) => existsSync(path)).map(declaredIn));
  return new Set(declared.flat().filter((name) => !managed.has(name)));
}

async function declaredIn(path: string): Promise<string[]> {
  const { configSchema } = (await import(pathToFileURL(path).href)) as { configSchema: z.ZodType };
  const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties);
}

/** Sentences about settings without effect: those of the .env file, and misspelt ones of this process. */
export function settingsWithoutEffect(known: ReadonlySet<string>, file = envFile(), environment = given): string[] {
  const reaches = (name: string): boolean => known.has(name) || ofTheLauncher.has(name);
  const ofFile = Object.keys(file)
    .filter((name) => !reaches(name))
    .map((name) =>
      managed.has(name)
        ? `${name} in the .env file has no effect: "npm start" sets it itself.`
        : `${name} in the .env file has no effect: ${unknown(name, known)}`,
    );
  const misspelt = Object.keys(environment)
    .filter((name) => !reaches(name) && !managed.has(name) && !(name in file) && closest(name, known) !== undefined)
    .map((name) => `The environment variable ${name} has no effect: ${unknown(name, known)}`);
  return [...ofFile, ...misspelt];
}

function unknown(name: string, known: ReadonlySet<string>): string {
  const near = closest(name, known);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `no service has a setting of that name.${hint} All settings: docs/reference/configuration.md`;
}

/** A known name that at most two typing errors turn into this one. */
function closest(name: string, known: ReadonlySet<string>): string | undefined {
  return [...known, ...ofTheLauncher].find((other) => other.length > 5 && distance(name, other) <= 2);
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
