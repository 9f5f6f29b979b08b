import type { z } from 'zod';
import { nodeOptions, serviceNames, services } from '@holdfast/contracts';
import { built } from './built.ts';
import { code, page, table } from './markdown.ts';
import { jsonSchemaOf } from './schema.ts';

export async function configurationPage(): Promise<string> {
  const sections = await Promise.all(serviceNames.map(sectionOf));
  return page(
    'Configuration',
    'the config.ts of each service',
    'Environment variables of each service. `npm start` sets the required ones. A service without a required ' +
      'variable prints one message that names it, and exits. Keys are 32 bytes in base64url: ' +
      '`openssl rand 32 | basenc --base64url | tr -d =`.',
    'Besides, Node.js reads `NODE_OPTIONS`: `npm start`, Compose and the images set it to ' +
      `${code(nodeOptions)}, the largest sizes of the heap in MiB ` +
      '([0060](../adr/0060-heap-sizes.md)). `services.<name>.env.NODE_OPTIONS` of the chart replaces it; in `.env` ' +
      'of `npm start` it is appended, and the last value of an option counts.',
    ...sections.flat(),
  );
}

async function sectionOf(service: keyof typeof services): Promise<string[]> {
  const { configSchema } = (await built(service, 'config')) as { configSchema: z.ZodType };
  const { properties = {}, required = [] } = jsonSchemaOf(configSchema, 'input');
  const rows = Object.entries(properties).map(([name, { default: value, description = '', enum: values }]) => [
    code(name),
    required.includes(name) ? 'required' : value === undefined ? '–' : code(String(value)),
    values ? `${description}: ${values.map(code).join(' ')}` : description,
  ]);
  return [`## ${service}`, table(['Variable', 'Default', 'Meaning'], rows)];
}
