import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { demoConfig } from '../config.js';
import { knownAppsSchema, type Known } from '../demo/known-apps.js';
import { seedDemo, type DemoOrganization } from '../demo/seed-demo.js';
import { asOperator } from '../operator-session.js';
import { show, table } from '../output.js';

export function demoCommands(program: Command): void {
  const demo = program.command('demo').description('two demo organizations');

  addCommand(
    demo,
    'seed',
    'create what is missing of the demo organizations acme and globex, their apps, groups and owners',
    ['demo seed --json --known demo.json'],
  )
    .option('--known <file>', 'output of an earlier seed: its client secrets are kept as long as they are valid')
    .action(({ json, known }: Json & { known?: string }) =>
      asOperator('demo seed', async (session) => {
        const { BASE_URL, SHOP_SITE, SHOP_PORT, KIOSK_PORT } = demoConfig();
        const earlier = known === undefined ? undefined : readKnown(known);
        const organizations = await seedDemo(
          session,
          BASE_URL,
          {
            site: SHOP_SITE,
            earlierSites: earlier?.baseUrl?.startsWith('https:') ? [siteOf(earlier.baseUrl)] : [],
            shop: SHOP_PORT ?? 4000,
            kiosk: KIOSK_PORT ?? 4001,
            open: SHOP_PORT !== undefined,
          },
          earlier?.organizations.flatMap(({ apps }) => apps) ?? [],
        );
        show({ organizations }, json, () => demoTable(organizations));
      }),
    );
}

/** Scheme and host of the shop of a stack with this https address. */
function siteOf(baseUrl: string): string {
  return `https://${new URL(baseUrl).hostname}`;
}

function readKnown(file: string): Known {
  try {
    return knownAppsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new CommandError(
      `${file} is not the output of "holdfast demo seed --json". Leave --known out to create new secrets.`,
    );
  }
}

function demoTable(organizations: DemoOrganization[]): string {
  const rows = organizations.flatMap(({ shortId, apps }) =>
    apps.map((a) => [shortId, a.name, a.kind, a.clientId, a.clientSecret]),
  );
  const owners = organizations.map(({ shortId, owner, ownerInvitationUrl }) => [
    shortId,
    owner.email,
    owner.status,
    ownerInvitationUrl ?? '',
  ]);
  return [
    table(['ORGANIZATION', 'APP', 'KIND', 'CLIENT ID', 'CLIENT SECRET'], rows),
    '',
    table(['ORGANIZATION', 'OWNER', 'STATUS', 'INVITATION'], owners),
  ].join('\n');
}
