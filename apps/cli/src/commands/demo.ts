import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { demoConfig } from '../config.js';
import { knownAppsSchema, type KnownApp } from '../demo/known-apps.js';
import { seedDemo, type DemoOrganization } from '../demo/seed-demo.js';
import { withHouse } from '../house.js';
import { show, table } from '../output.js';
import { Refusal } from '../refusal.js';
import { verb, type Json } from '../verb.js';

export function demoCommands(program: Command): void {
  const demo = program.command('demo').description('two organizations to try things with');

  verb(demo, 'seed', 'make the demo organizations acme and globex with their apps, as far as they are missing', [
    'demo seed --json --known demo.json',
  ])
    .option('--known <file>', 'what an earlier seed printed: its secrets are kept as long as they live')
    .action(({ json, known }: Json & { known?: string }) =>
      withHouse('demo seed', async (house) => {
        const { BASE_URL, SHOP_PORT, KIOSK_PORT } = demoConfig();
        const organizations = await seedDemo(
          house,
          BASE_URL,
          { shop: SHOP_PORT ?? 4000, kiosk: KIOSK_PORT ?? 4001, open: SHOP_PORT !== undefined },
          known === undefined ? [] : readKnown(known),
        );
        show({ organizations }, json, () => demoTable(organizations));
      }),
    );
}

function readKnown(file: string): KnownApp[] {
  try {
    return knownAppsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).organizations.flatMap(({ apps }) => apps);
  } catch {
    throw new Refusal(`${file} is not what "holdfast demo seed --json" prints; leave --known out to make new secrets.`);
  }
}

function demoTable(organizations: DemoOrganization[]): string {
  const rows = organizations.flatMap(({ shortId, apps }) =>
    apps.map((a) => [shortId, a.name, a.kind, a.clientId, a.clientSecret]),
  );
  return table(['ORGANIZATION', 'APP', 'KIND', 'CLIENT ID', 'CLIENT SECRET'], rows);
}
