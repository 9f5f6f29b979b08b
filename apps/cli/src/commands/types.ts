import { InvalidArgumentError, type Command } from 'commander';
import {
  createCredentialType,
  listCredentialTypes,
  updateCredentialType,
  type CredentialType,
} from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

interface TypeOptions extends Json {
  display?: string;
  validity?: string | false;
  renewalWindow?: string | false;
  revocable?: boolean;
  holder?: Holder[];
  maxPasskeys?: number;
  default?: true;
}
type Holder = CredentialType['holders'][number];

function holders(value: string, before: Holder[] = []): Holder[] {
  if (value !== 'passkey' && value !== 'wallet') throw new InvalidArgumentError('Use passkey or wallet.');
  return [...before, value];
}

function passkeys(value: string): number {
  if (!/^([1-9]|10)$/.test(value)) throw new InvalidArgumentError('Use a number from 1 to 10.');
  return Number(value);
}

export function typeCommands(program: Command): void {
  const type = program
    .command('type')
    .description('credential types of an organization: validity, renewal and revocation');

  addCommand(type, 'list <org>', 'list the credential types of an organization', ['type list acme']).action(
    (org: string, { json }: Json) =>
      asOperator('type list', async ({ request }) => {
        const { items } = await request(listCredentialTypes, {}, org);
        show(items, json, () => typeTable(items));
      }),
  );

  addCommand(type, 'create <org> <name>', 'create a credential type; only its name is permanent', [
    'type create acme customer --validity P1Y --renewal-window P30D',
    'type create acme day-pass --display "Day pass" --validity PT24H --no-revocable',
  ])
    .option('--display <text>', 'display name (default: the name)')
    .option('--validity <duration>', 'time until it expires, as ISO 8601: P1Y, P30D, PT24H (default: never)')
    .option('--renewal-window <duration>', 'time before expiration in which a sign-in renews it (default: never)')
    .option('--no-revocable', 'once claimed, it cannot be suspended or revoked; it is valid until it expires')
    .option('--holder <holder>', 'what may store it, passkey or wallet; may be repeated (default: both)', holders)
    .option('--max-passkeys <count>', 'how many passkeys may hold one credential, 1 to 10 (default: 10)', passkeys)
    .option('--default', 'use it for offers and apps that name no type; replaces the default of the organization')
    .action(
      (
        org: string,
        name: string,
        {
          json,
          display = name,
          holder,
          maxPasskeys,
          default: isDefault,
          validity,
          renewalWindow,
          revocable,
        }: TypeOptions,
      ) =>
        asOperator('type create', async ({ request }) => {
          const reply = await request(
            createCredentialType,
            {
              name,
              display,
              ...(validity && { validity }),
              ...(renewalWindow && { renewalWindow }),
              ...(revocable !== undefined && { revocable }),
              ...(holder && { holders: holder }),
              ...(maxPasskeys !== undefined && { maxPasskeys }),
              ...(isDefault && { isDefault }),
            },
            org,
          );
          show(reply, json, () => typeSheet(reply));
        }),
    );

  addCommand(
    type,
    'update <org> <name>',
    'change the given settings of a credential type; issued credentials stay as they are',
    [
      'type update acme customer --validity P2Y',
      'type update acme customer --no-renewal-window',
      'type update acme membership --default',
    ],
  )
    .option('--display <text>', 'display name')
    .option('--validity <duration>', 'time until it expires, as ISO 8601: P1Y, P30D, PT24H')
    .option('--no-validity', 'let it never expire')
    .option('--renewal-window <duration>', 'time before expiration in which a sign-in renews it')
    .option('--no-renewal-window', 'never renew it')
    .option('--revocable', 'credentials offered from now on can be suspended and revoked')
    .option('--no-revocable', 'credentials offered from now on cannot be suspended or revoked once claimed')
    .option('--holder <holder>', 'what may store it, passkey or wallet; may be repeated', holders)
    .option('--max-passkeys <count>', 'how many passkeys may hold one credential, 1 to 10', passkeys)
    .option('--default', 'replace the default of the organization')
    .action(
      (
        org: string,
        name: string,
        { json, holder, default: isDefault, validity, renewalWindow, ...rest }: TypeOptions,
      ) =>
        asOperator('type update', async ({ request }) => {
          const changes = {
            ...rest,
            ...nullable('validity', validity),
            ...nullable('renewalWindow', renewalWindow),
            ...(holder && { holders: holder }),
            ...(isDefault && { isDefault }),
          };
          if (Object.keys(changes).length === 0)
            throw new CommandError('There is nothing to change. "holdfast type update --help" lists the options.');
          const reply = await request(updateCredentialType, { name, ...changes }, org);
          show(reply, json, () => typeSheet(reply));
        }),
    );
}

/** `--no-…` removes a setting, which the contract expresses as null. */
function nullable(
  name: 'validity' | 'renewalWindow',
  value: string | false | undefined,
): Partial<Record<typeof name, string | null>> {
  return value === undefined ? {} : { [name]: value === false ? null : value };
}

function typeTable(items: CredentialType[]): string {
  const rows = items.map((t) => [
    t.name,
    t.display,
    t.validity ?? 'never expires',
    t.renewalWindow ?? 'never renewed',
    t.revocable ? 'yes' : 'no',
    t.holders.join(' '),
    String(t.maxPasskeys),
    t.isDefault ? 'default' : '',
  ]);
  return table(['NAME', 'DISPLAY', 'VALIDITY', 'RENEWAL WINDOW', 'REVOCABLE', 'HOLDERS', 'PASSKEYS', ''], rows);
}

function typeSheet(t: CredentialType): string {
  return sheet({
    Name: t.name,
    Display: t.display,
    Validity: t.validity ?? 'never expires',
    'Renewal window': t.renewalWindow ?? 'never renewed',
    Revocable: t.revocable ? 'yes' : 'no',
    Holders: t.holders.join(' '),
    'Passkeys at most': String(t.maxPasskeys),
    Default: t.isDefault ? 'yes' : 'no',
  });
}
