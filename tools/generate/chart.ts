import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import {
  databaseRole,
  databaseServices,
  nodeOptions,
  serviceNames,
  services,
  type ServiceName,
} from '@holdfast/contracts';
import { databasePasswordName, secretVariables, watermarkWriters } from '@holdfast/platform-policy';
import { root } from '../setup/paths.mjs';
import { built } from './built.ts';
import { jsonSchemaOf } from './schema.ts';

/** What the chart knows of each service: its template reads this file. */
export async function chartServices(): Promise<string> {
  const order = rolloutOrder();
  const entries = await Promise.all(serviceNames.map(async (name) => [name, await chartService(name, order)] as const));
  const table = {
    note: 'Generated from libs/contracts and libs/platform-policy by `node tools/generate.mjs`. Do not edit.',
    databasePasswords: databaseServices.map(databasePasswordName),
    heapMib: heapMib(),
    services: Object.fromEntries(entries),
  };
  return `${JSON.stringify(table, null, 2)}\n`;
}

async function chartService(name: ServiceName, order: readonly string[]): Promise<Record<string, unknown>> {
  const { configSchema } = (await built(name, 'config')) as { configSchema: z.ZodType };
  const { properties = {} } = jsonSchemaOf(configSchema, 'input');
  const { database, http, sharded } = services[name];
  const pool = (properties.DATABASE_POOL as { default?: number } | undefined)?.default;
  return {
    http,
    sharded,
    ...(database && { database: { role: databaseRole(name), password: databasePasswordName(name) } }),
    raisesWatermarksOf: watermarkWriters().find(({ writers }) => writers.includes(name))?.readModel ?? null,
    readsFromReplica: 'DATABASE_READ_URL' in properties,
    // NetworkPolicy: the internet may be called by these services only.
    callsOut: 'OUTBOUND_PORTS' in properties,
    checkpoints: 'CHECKPOINT_DIR' in properties,
    // A new version of the service starts once the service before it has been replaced everywhere.
    after: order[order.indexOf(name) - 1] ?? null,
    secrets: secretVariables(name),
    // A variable that no service reads is a typing error.
    settings: Object.keys(properties).sort(),
    ...(pool !== undefined && { databasePool: pool }),
  };
}

/** What V8 may fill: the old generation, and three semi-spaces of the young one. */
function heapMib(): number {
  const [, old = '', semi = ''] = /max-old-space-size=(\d+) --max-semi-space-size=(\d+)/.exec(nodeOptions) ?? [];
  return Number(old) + 3 * Number(semi);
}

function rolloutOrder(): string[] {
  const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');
  const [, line] = /^The order of the services: (.+)\.$/m.exec(runbook) ?? [];
  const order = line?.replaceAll('`', '').split(', ') ?? [];
  const missing = serviceNames.filter((name) => !order.includes(name));
  if (missing.length > 0) throw new Error(`"The order of the services" in docs/runbook.md lacks ${missing.join(', ')}`);
  return order;
}
