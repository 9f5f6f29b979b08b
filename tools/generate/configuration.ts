import type { z } from 'zod';
import { serviceNames, services } from '@holdfast/contracts';
import { built } from './built.ts';
import { code, page, table } from './markdown.ts';
import { jsonSchemaOf } from './schema.ts';

export async function configurationPage(): Promise<string> {
  const parts = await Promise.all(serviceNames.map(partOf));
  return page(
    'Configuration',
    'the config.ts of each service',
    'Environment variables of each service. `npm start` sets all of them itself; this page is for those who run services otherwise. A service that lacks one says so in one message and ends. Keys are 32 bytes in base64url: `openssl rand 32 | basenc --base64url | tr -d =`.',
    ...parts.flat(),
  );
}

async function partOf(service: keyof typeof services): Promise<string[]> {
  const { configSchema } = (await built(service, 'config')) as { configSchema: z.ZodType };
  const { properties = {}, required = [] } = jsonSchemaOf(configSchema, 'input');
  const rows = Object.entries(properties).map(([name, { default: value, description = '', enum: values }]) => [
    code(name),
    required.includes(name) ? 'required' : value === undefined ? '–' : code(String(value)),
    values ? `${description}: ${values.map(code).join(' ')}` : description,
  ]);
  return [`## ${service}`, table(['Variable', 'Default', 'Meaning'], rows)];
}
