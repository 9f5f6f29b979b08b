import type { Command } from 'commander';
import {
  countPasskeys,
  createOrganization,
  listOrganizations,
  mainShard,
  suspendOrganization,
  updateOrganization,
  type Organization,
  type ReplyOf,
} from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator, type OperatorSession } from '../operator-session.js';
import { sheet, show, table } from '../output.js';
import { addBrandingChanges, brandingChangesOf, type BrandingOptions } from './branding-options.js';
import { addOrganizationLimits, describeRateLimits } from './rate-limits.js';

interface CreateOptions {
  name?: string;
  rpId?: string;
  shard?: string;
}

interface UpdateOptions extends Json, BrandingOptions {
  /** False for `--no-rp-id`. */
  rpId?: string | false;
  endMove?: boolean;
  yes?: boolean;
  name?: string;
  /** False for `--no-start-url`, and the same for the others. */
  startUrl?: string | false;
  helpUrl?: string | false;
}

type Passkeys = ReplyOf<typeof countPasskeys>;

const rpIdOption =
  'WebAuthn RP ID of its passkeys: a domain that contains the host of the claim and sign-in pages, or one that names ' +
  'them in https://<domain>/.well-known/webauthn (docs/rp-id.md)';

export function organizationCommands(program: Command): void {
  const org = program.command('org').description('organizations; each has its own issuer');

  addCommand(org, 'create <shortId>', 'create an organization', [
    'org create acme --name "Acme Ltd"',
    'org create acme --rp-id acme.example',
  ])
    .option('--name <name>', 'its name (default: the short id)')
    .option('--rp-id <domain>', rpIdOption)
    .option('--shard <name>', `shard of its customers, audit log and event feed (default: ${mainShard})`)
    .action((shortId: string, { name = shortId, json, ...chosen }: Json & CreateOptions) =>
      asOperator('org create', async ({ request }) => {
        const reply = await request(createOrganization, { shortId, name, ...chosen }, shortId);
        show(reply, json, () => `Created the organization ${shortId}.`);
      }),
    );

  addCommand(org, 'list', 'list all organizations', ['org list']).action(({ json }: Json) =>
    asOperator('org list', async ({ request }) => {
      const { items } = await request(listOrganizations, {});
      show(items, json, () =>
        items.length === 0
          ? 'There is no organization yet. Create one: holdfast org create <shortId>'
          : organizationTable(items),
      );
    }),
  );

  addCommand(org, 'show <shortId>', 'show an organization, with its passkeys by RP ID', ['org show acme']).action(
    (shortId: string, { json }: Json) =>
      asOperator('org show', async (session) => {
        const [found, passkeys] = [
          await findOrganization(session, shortId),
          await session.request(countPasskeys, {}, shortId),
        ];
        show({ ...found, passkeys: passkeys.items }, json, () => organizationSheet(found, passkeys));
      }),
  );

  const updating = addCommand(
    org,
    'update <shortId>',
    'change the RP ID of its passkeys, end the transition from the earlier one, or change its name and what its ' +
      'pages show; in force within a second',
    [
      'org update acme --rp-id acme.example --yes',
      'org update acme --no-rp-id',
      'org update acme --end-move --yes',
      'org update acme --start-url https://acme.example --help-url https://acme.example/help',
      'org update acme --name "Acme Ltd" --accent-color "#0b57a4" --logo logo.png',
    ],
  )
    .option(
      '--rp-id <domain>',
      `${rpIdOption}. A passkey keeps the RP ID that it was created for. Passkeys of the earlier RP ID can sign in ` +
        'until the transition ends',
    )
    .option('--no-rp-id', 'go back to the RP ID of the deployment')
    .option('--end-move', 'stop accepting passkeys of the earlier RP ID')
    .option('--start-url <url>', 'where its customers begin: its page at {base URL}/o/<shortId> leads there')
    .option('--no-start-url', 'remove it')
    .option('--help-url <url>', 'where its customers get help, on the same page')
    .option('--no-help-url', 'remove it')
    .option('--name <name>', 'what people read on every page')
    .option('--yes', 'confirm although customers have passkeys that this affects');
  addBrandingChanges(updating, 'Holdfast').action((shortId: string, options: UpdateOptions) =>
    asOperator('org update', (session) => update(session, shortId, options)),
  );

  addOrganizationLimits(org);

  const addSwitch = (name: string, suspended: boolean, description: string, result: string) =>
    addCommand(org, `${name} <shortId>`, description, [`org ${name} acme`]).action((shortId: string, { json }: Json) =>
      asOperator(`org ${name}`, async ({ request }) => {
        const reply = await request(suspendOrganization, { shortId, suspended }, shortId);
        show(reply, json, () => `${shortId} is ${result}.`);
      }),
    );
  addSwitch(
    'suspend',
    true,
    'reject all apps of an organization, within a second',
    'suspended: all of its apps are rejected',
  );
  addSwitch('resume', false, 'resume a suspended organization', 'resumed: its apps have access again');
}

async function update(
  session: OperatorSession,
  shortId: string,
  { rpId, endMove = false, yes = false, json, ...shown }: UpdateOptions,
): Promise<void> {
  const branding = shownOf(shown);
  const changesBranding = Object.keys(branding).length > 0;
  if ([rpId !== undefined, endMove, changesBranding].filter(Boolean).length !== 1)
    throw new CommandError(
      'Pass one of --rp-id, --no-rp-id and --end-move, or what pages show (--name, --start-url, --help-url, ' +
        '--accent-color, --logo). "holdfast org update --help" explains them.',
    );
  const [before, passkeys] = [
    await findOrganization(session, shortId),
    await session.request(countPasskeys, {}, shortId),
  ];
  if (changesBranding) {
    const reply = await session.request(updateOrganization, { shortId, ...branding }, shortId);
    return show(reply, json, () => organizationSheet(reply, passkeys));
  }
  const abandoned = endMove ? earlierRpIdOf(before, passkeys) : rpIdOf(before, passkeys);
  const count = abandoned === undefined ? 0 : countOf(passkeys, abandoned);
  if (count > 0 && !yes) throw new CommandError(warning(shortId, abandoned!, count, endMove));
  // Without passkeys of the current RP ID, no transition is needed.
  const change = endMove ? { endMove } : { rpId: rpId === false ? null : rpId!, keepEarlier: count > 0 };
  const reply = await session.request(updateOrganization, { shortId, ...change }, shortId);
  show(reply, json, () => organizationSheet(reply, passkeys));
}

function shownOf({ name, startUrl, helpUrl, ...branding }: UpdateOptions) {
  return {
    ...(name !== undefined && { name }),
    ...(startUrl !== undefined && { startUrl: startUrl || null }),
    ...(helpUrl !== undefined && { helpUrl: helpUrl || null }),
    ...brandingChangesOf(branding),
  };
}

function warning(shortId: string, rpId: string, count: number, endMove: boolean): string {
  const passkeys = count === 1 ? '1 passkey' : `${count} passkeys`;
  const affected = `${passkeys} of ${shortId} ${count === 1 ? 'was' : 'were'} created for the RP ID ${rpId}`;
  const consequence = endMove
    ? 'and will not be accepted any more. A customer without a newer passkey needs a recovery offer.'
    : 'and cannot be moved. Customers sign in with "Use an earlier passkey" until they claim a new one through a ' +
      'recovery offer.';
  return `${affected}, ${consequence} Read docs/rp-id.md, then repeat the command with --yes. Nothing was changed.`;
}

async function findOrganization({ request }: OperatorSession, shortId: string): Promise<Organization> {
  const found = (await request(listOrganizations, {})).items.find((organization) => organization.shortId === shortId);
  if (!found) throw new CommandError(`There is no organization "${shortId}". List them: holdfast org list`);
  return found;
}

function rpIdOf({ relyingParty }: Organization, { ownRpId }: Passkeys): string {
  return relyingParty?.rpId ?? ownRpId;
}

function earlierRpIdOf({ relyingParty }: Organization, { ownRpId }: Passkeys): string | undefined {
  return relyingParty?.earlier && (relyingParty.earlier.rpId ?? ownRpId);
}

function countOf({ items }: Passkeys, rpId: string): number {
  return items.find((item) => item.rpId === rpId)?.passkeys ?? 0;
}

function organizationSheet(organization: Organization, passkeys: Passkeys): string {
  const [rpId, earlier] = [rpIdOf(organization, passkeys), earlierRpIdOf(organization, passkeys)];
  const unused = passkeys.items.filter((item) => item.rpId !== rpId && item.rpId !== earlier);
  const withCount = (id: string) => `${id} (passkeys: ${countOf(passkeys, id)})`;
  return sheet({
    Organization: organization.shortId,
    Name: organization.name,
    State: stateOf(organization),
    Created: organization.createdAt,
    ...(organization.startUrl !== undefined && { 'Start address': organization.startUrl }),
    ...(organization.helpUrl !== undefined && { 'Help address': organization.helpUrl }),
    ...(organization.accentColor !== undefined && { 'Accent colour': organization.accentColor }),
    ...(organization.logoPath !== undefined && { Logo: organization.logoPath }),
    ...(organization.rateLimits && { 'Rate limits': describeRateLimits(organization.rateLimits) }),
    Shard: organization.shard,
    'RP ID': withCount(rpId) + (organization.relyingParty?.rpId === undefined ? ', the RP ID of the deployment' : ''),
    ...(earlier !== undefined && {
      'Earlier RP ID': `${withCount(earlier)}, until: holdfast org update ${organization.shortId} --end-move`,
    }),
    ...(unused.length > 0 && { 'Not accepted': unused.map((item) => withCount(item.rpId)).join(', ') }),
  });
}

function stateOf({ suspended, deletesAt, deleting }: Organization): string {
  if (deleting) return 'being deleted';
  if (deletesAt !== undefined) return `suspended, to be deleted after ${deletesAt}`;
  return suspended ? 'suspended' : 'active';
}

function organizationTable(items: Organization[]): string {
  const rows = items.map((o) => [o.shortId, o.name, stateOf(o), o.relyingParty?.rpId ?? '', o.shard, o.createdAt]);
  return table(['ORGANIZATION', 'NAME', 'STATE', 'RP ID', 'SHARD', 'CREATED'], rows);
}
