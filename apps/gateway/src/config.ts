import { baseConfigSchema, keyFromEnv } from '@holdfast/kit';
import { z } from 'zod';

const urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
  .pipe(z.array(z.url()).min(1));

export const configSchema = baseConfigSchema.extend({
  HTTP_PORT: z.coerce.number().int(),
  /** `localhost` listens on IPv4 and IPv6; a container says 0.0.0.0. */
  HTTP_HOST: z.string().default('localhost'),
  /** Replicas of auth, comma separated. */
  AUTH_URLS: urls,
  /** Seals page tokens. */
  PAGE_TOKEN_KEY: keyFromEnv,
});
export type GatewayConfig = z.output<typeof configSchema>;
