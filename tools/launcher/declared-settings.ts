import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { register } from 'prom-client';
import { z } from 'zod';
import { serviceNames } from '@holdfast/contracts';
import { envFile, given } from '../setup/settings.mjs';

/** Settings of services that the launcher sets itself, from its own settings, its ports and secrets.json. */
const managed = new Set([
  'AUDIT_SIGNING_KEYS',
  'AUTH_CA_FILE',
  'AUTH_CERT_FILE',
  'AUTH_KEY_FILE',
  'AUTH_URLS',
  'BASE_URL',
  'CHECKPOINT_DIR',
  'COOKIE_KEY',
  'COOKIE_KEY_PREVIOUS',
  'DATABASE_CA_FILE',
  'DATABASE_CERT_FILE',
  'DATABASE_KEY_FILE',
  'DATABASE_PASSWORD_FILE',
  'DATABASE_READ_URL',
  'DATABASE_URL',
  'HOLDFAST_EXIT_WITH_PARENT',
  'HOLDFAST_REPLICA',
  'HTTP_CERT_FILE',
  'HTTP_CLIENT_CA_FILE',
  'HTTP_HOST',
  'HTTP_KEY_FILE',
  'HTTP_PORT',
  'KEY_ENCRYPTION_KEY',
  'KEY_ENCRYPTION_KEY_PREVIOUS',
  'NATS_CA_FILE',
  'NATS_NKEY_SEED',
  'NATS_URL',
  'OPS_HOST',
  'OPS_PORT',
  'PAGE_TOKEN_KEY',
  'PRESENCE_KEY',
  'PRESENCE_KEY_PREVIOUS',
  'SECRET_PEPPER',
  'WATERMARK_DATABASE_URL',
]);

/** Variables that the launcher, its tests and the example shop read. */
const launcherSettings = new Set([
  'BASE_URL',
  'DATABASE_URL',
  'HOLDFAST_ENV_FILE',
  'HOLDFAST_HOME',
  'HOLDFAST_NO_BROWSER',
  'HTTP_CERT_FILE',
  'HTTP_HOST',
  'HTTP_KEY_FILE',
  'KIOSK_PORT',
  'NATS_NKEY_SEED',
  'NATS_URL',
  'NODE_OPTIONS',
  'OUTBOUND_ALLOW',
  'PORT',
  'SHOP_DATA',
  'SHOP_PORT',
  'SHOP_SESSION_SECRET',
]);

/**
 * The settings that services of these builds declare in their config schemas and that a user may set. Other variables
 * reach no service.
 */
export async function declaredSettings(builds: string[]): Promise<ReadonlySet<string>> {
  const declared: string[] = [];
  for (const build of new Set(builds)) {
    // Each build registers its metrics when it is loaded, under the names of those before. Nothing here serves metrics.
    register.clear();
    const schemas = serviceNames.map((service) => join(build, 'apps', service, 'dist', 'config.js'));
    declared.push(...(await Promise.all(schemas.filter((path) => existsSync(path)).map(declaredIn))).flat());
  }
  return new Set(declared.filter((name) => !managed.has(name)));
}

async function declaredIn(path: string): Promise<string[]> {
  const { configSchema } = (await import(pathToFileURL(path).href)) as { configSchema: z.ZodType };
  const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties);
}

/** Warnings about settings without effect: those of the .env file, and misspelt ones of this process. */
export function settingsWithoutEffect(declared: ReadonlySet<string>, file = envFile(), environment = given): string[] {
  const hasEffect = (name: string): boolean => declared.has(name) || launcherSettings.has(name);
  const ofFile = Object.keys(file)
    .filter((name) => !hasEffect(name))
    .map((name) =>
      managed.has(name)
        ? `${name} in the .env file has no effect: "npm start" sets it itself.`
        : `${name} in the .env file has no effect: ${unknownSetting(name, declared)}`,
    );
  const misspelt = Object.keys(environment)
    .filter((name) => !hasEffect(name) && !managed.has(name) && !(name in file))
    .filter((name) => closest(name, declared) !== undefined)
    .map((name) => `The environment variable ${name} has no effect: ${unknownSetting(name, declared)}`);
  return [...ofFile, ...misspelt];
}

function unknownSetting(name: string, declared: ReadonlySet<string>): string {
  const similar = closest(name, declared);
  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
  return `no service has a setting of that name.${hint} All settings: docs/reference/configuration.md`;
}

/**
 * A setting whose name differs from this one by a typing error, or by two if it has twelve letters or more. Of a short
 * name two errors make another name: SMTP_HOST is no HTTP_HOST.
 */
function closest(name: string, declared: ReadonlySet<string>): string | undefined {
  const maxErrors = (other: string): number => Math.min(2, Math.floor(other.length / 6));
  return [...declared, ...launcherSettings].find(
    (other) => maxErrors(other) > 0 && distance(name, other) <= maxErrors(other),
  );
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
