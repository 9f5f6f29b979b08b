import { databaseServices, type ServiceName } from '@holdfast/contracts';
import { loadConfig } from '@holdfast/kit';
import { z } from 'zod';

const busSchema = z.object({ NATS_URL: z.string().min(1), NATS_NKEY_SEED: z.string().min(1) });
const demoSchema = z.object({
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  SHOP_PORT: z.coerce.number().int().min(1).max(65_535).default(4000),
  KIOSK_PORT: z.coerce.number().int().min(1).max(65_535).default(4001),
});

export const busConfig = () => loadConfig(busSchema);
export const demoConfig = () => loadConfig(demoSchema);

const passwordOf = (service: ServiceName) => `DB_PASSWORD_${service.toUpperCase()}` as const;

/** The owner's address of the database, and a password per service with one. */
export function databaseConfig(): { url: string; passwords: Record<string, string> } {
  const names = databaseServices.map(passwordOf);
  const schema = z.object({ DATABASE_URL: z.string().min(1), ...Object.fromEntries(names.map((name) => [name, z.string().min(1)])) });
  const env = loadConfig(schema) as Record<string, string>;
  return { url: env.DATABASE_URL!, passwords: Object.fromEntries(databaseServices.map((s) => [s, env[passwordOf(s)]!])) };
}
