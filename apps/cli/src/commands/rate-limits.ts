import { InvalidArgumentError, type Command } from 'commander';
import { limitApp, limitOrganization, type AppRateLimits, type AppRateLimitsPatch } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { show } from '../output.js';

type Quotas = { [Name in keyof AppRateLimits]?: number | 'default' };
type Options = Json & Quotas;

const inForce = 'In force for each app with its next access token, within ten minutes.';

export function addAppLimits(app: Command): void {
  addOptions(
    addCommand(app, 'limits <clientId>', 'set rate limits of an app, for all replicas together', [
      'app limits app_2Vw… --read 240000 --write 120000',
      'app limits app_2Vw… --read default',
    ]),
    'those of its organization, or of the deployment',
  ).action((clientId: string, { json, ...rateLimits }: Options) =>
    asOperator('app limits', async ({ request }) => {
      const reply = await request(limitApp, { clientId, rateLimits: given(rateLimits) });
      show(reply, json, () => `Rate limits of ${reply.name}: ${describeRateLimits(reply.rateLimits)}. ${inForce}`);
    }),
  );
}

export function addOrganizationLimits(org: Command): void {
  addOptions(
    addCommand(org, 'limits <shortId>', 'set rate limits of each app of an organization that has none of its own', [
      'org limits acme --write 6000',
    ]),
    'those of the deployment',
  ).action((shortId: string, { json, ...rateLimits }: Options) =>
    asOperator('org limits', async ({ request }) => {
      const reply = await request(limitOrganization, { shortId, rateLimits: given(rateLimits) }, shortId);
      const limits = describeRateLimits(reply.rateLimits);
      show(reply, json, () => `Rate limits of each app of ${shortId}: ${limits}. ${inForce}`);
    }),
  );
}

export function describeRateLimits(limits: AppRateLimits = {}): string {
  return (
    Object.entries(limits)
      .map(([name, perMinute]) => `${name} ${perMinute} a minute`)
      .join(', ') || 'none of its own'
  );
}

function addOptions(command: Command, otherwise: string): Command {
  return command
    .option('--read <perMinute>', `reads of the API a minute; default: ${otherwise}`, perMinute)
    .option('--write <perMinute>', 'changes by the API a minute', perMinute)
    .option('--client <perMinute>', 'requests a minute to token endpoints', perMinute);
}

/** @throws InvalidArgumentError */
function perMinute(value: string): number | 'default' {
  if (value === 'default') return value;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Use a whole number of requests, or `default`.');
  return Number(value);
}

function given(quotas: Quotas): AppRateLimitsPatch {
  const patch = Object.entries(quotas).map(([name, quota]) => [name, quota === 'default' ? null : quota]);
  if (patch.length === 0) throw new CommandError('Give --read, --write or --client.');
  return Object.fromEntries(patch) as AppRateLimitsPatch;
}
