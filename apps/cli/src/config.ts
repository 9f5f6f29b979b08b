import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { databaseServices, type ServiceName } from '@holdfast/contracts';
import { loadConfig } from '@holdfast/platform';
import { defaultConnectionLimit } from '@holdfast/platform-policy';
import { CommandError } from './command-error.js';

const busSchema = z.object({ NATS_URL: z.string().min(1), NATS_NKEY_SEED: z.string().min(1) });
const demoSchema = z.object({
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  SHOP_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  KIOSK_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
});

const secretSchema = z.object({ HOLDFAST_CLIENT_SECRET: z.string().min(1).optional() });

/** The client secret of an app: never an argument, which everybody on the machine can read. */
export async function clientSecret(): Promise<string> {
  const given =
    loadConfig(secretSchema).HOLDFAST_CLIENT_SECRET ?? (process.stdin.isTTY ? '' : (await text(process.stdin)).trim());
  if (given === '')
    throw new CommandError('There is no client secret: set HOLDFAST_CLIENT_SECRET, or hand it in on standard input.');
  return given;
}

export const busConfig = () =>
  orRefuse(
    () => loadConfig(busSchema),
    'No session is named: use "npm run holdfast -- …" beside a running one, or set NATS_URL and NATS_NKEY_SEED.',
  );
export const demoConfig = () =>
  orRefuse(
    () => loadConfig(demoSchema),
    'BASE_URL must be the public address of the session, such as http://localhost:8080.',
  );

function orRefuse<T>(read: () => T, sentence: string): T {
  try {
    return read();
  } catch {
    throw new CommandError(sentence);
  }
}

const passwordOf = (service: ServiceName) => `DB_PASSWORD_${service.toUpperCase()}` as const;

export const ownerConfig = () => ({
  url: orRefuse(
    () => loadConfig(z.object({ DATABASE_URL: z.string().min(1) })),
    'Set DATABASE_URL, the address of the database as its owner.',
  ).DATABASE_URL,
});

/**
 * The owner's address of the database, a password per service with one, and the connections that each role may have.
 */
export function databaseConfig(): { url: string; passwords: Record<string, string>; connectionLimit: number } {
  const names = databaseServices.map(passwordOf);
  const schema = z.object({
    DATABASE_URL: z.string().min(1),
    DB_CONNECTIONS: z
      .string()
      .regex(/^[1-9]\d{0,4}$/)
      .default(String(defaultConnectionLimit)),
    ...Object.fromEntries(names.map((name) => [name, z.string().min(1)])),
  });
  const env = orRefuse(
    () => loadConfig(schema) as Record<string, string>,
    `Set DATABASE_URL (of the owner) and ${names.join(', ')}; DB_CONNECTIONS, if set, is a whole number from 1 to 99999.`,
  );
  return {
    url: env.DATABASE_URL!,
    passwords: Object.fromEntries(databaseServices.map((s) => [s, env[passwordOf(s)]!])),
    connectionLimit: Number(env.DB_CONNECTIONS),
  };
}
