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
  default?: true;
}
type Holder = CredentialType['holders'][number];

function holders(value: string, before: Holder[] = []): Holder[] {
  if (value !== 'passkey' && value !== 'wallet') throw new InvalidArgumentError('It must be passkey or wallet.');
  return [...before, value];
}

export function typeCommands(program: Command): void {
  const type = program
    .command('type')
    .description('credential types of an organization: how long a credential lives, and whether it can be revoked');

  addCommand(type, 'list <org>', 'list the credential types of an organization', ['type list acme']).action(
    (org: string, { json }: Json) =>
      asOperator('type list', async ({ request }) => {
        const { items } = await request(listCredentialTypes, {}, org);
        show(items, json, () => typeTable(items));
      }),
  );

  addCommand(type, 'create <org> <name>', 'create a credential type; its name is permanent, all else can be changed', [
    'type create acme customer --validity P1Y --renewal-window P30D',
    'type create acme day-pass --display "Day pass" --validity PT24H --no-revocable',
  ])
    .option('--display <text>', 'its name for people (the name when left out)')
    .option('--validity <duration>', 'from issue to end, as ISO 8601: P1Y, P30D, PT24H (no end when left out)')
    .option('--renewal-window <duration>', 'how long before the end a sign-in renews it (never when left out)')
    .option('--no-revocable', 'once held, it can be neither suspended nor revoked: it ends when it expires')
    .option('--holder <holder>', 'what may hold it, passkey or wallet; may be repeated (both when left out)', holders)
    .option(
      '--default',
      "what an offer and an app mean that name no type; takes the place of the organization's default of before",
    )
    .action(
      (
        org: string,
        name: string,
        { json, display = name, holder, default: isDefault, validity, renewalWindow, revocable }: TypeOptions,
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
    'change what is given of a credential type, and leave the rest; what was issued stays as it was',
    [
      'type update acme customer --validity P2Y',
      'type update acme customer --no-renewal-window',
      'type update acme membership --default',
    ],
  )
    .option('--display <text>', 'its name for people')
    .option('--validity <duration>', 'from issue to end, as ISO 8601: P1Y, P30D, PT24H')
    .option('--no-validity', 'let it have no end')
    .option('--renewal-window <duration>', 'how long before the end a sign-in renews it')
    .option('--no-renewal-window', 'never renew it')
    .option('--revocable', 'what is offered from now on can be suspended and revoked')
    .option('--no-revocable', 'what is offered from now on can, once held, be neither suspended nor revoked')
    .option('--holder <holder>', 'what may hold it, passkey or wallet; may be repeated', holders)
    .option('--default', "take the place of the organization's default of before")
    .action(
      (
        org: string,
        name: string,
        { json, holder, default: isDefault, validity, renewalWindow, ...rest }: TypeOptions,
      ) =>
        asOperator('type update', async ({ request }) => {
          const wanted = {
            ...rest,
            ...taken('validity', validity),
            ...taken('renewalWindow', renewalWindow),
            ...(holder && { holders: holder }),
            ...(isDefault && { isDefault }),
          };
          if (Object.keys(wanted).length === 0)
            throw new CommandError('Nothing to change was given; "holdfast type update --help" lists what can be.');
          const reply = await request(updateCredentialType, { name, ...wanted }, org);
          show(reply, json, () => typeSheet(reply));
        }),
    );
}

/** `--no-…` takes it away, which the contract says by null. */
function taken(
  name: 'validity' | 'renewalWindow',
  value: string | false | undefined,
): Partial<Record<typeof name, string | null>> {
  return value === undefined ? {} : { [name]: value === false ? null : value };
}

function typeTable(items: CredentialType[]): string {
  const rows = items.map((t) => [
    t.name,
    t.display,
    t.validity ?? 'no end',
    t.renewalWindow ?? 'not renewed',
    t.revocable ? 'yes' : 'no',
    t.holders.join(' '),
    t.isDefault ? 'default' : '',
  ]);
  return table(['NAME', 'DISPLAY', 'VALIDITY', 'RENEWED IN LAST', 'REVOCABLE', 'HOLDERS', ''], rows);
}

function typeSheet(t: CredentialType): string {
  return sheet({
    Name: t.name,
    Display: t.display,
    Validity: t.validity ?? 'no end',
    'Renewed in last': t.renewalWindow ?? 'never renewed',
    Revocable: t.revocable ? 'yes' : 'no',
    Holders: t.holders.join(' '),
    Default: t.isDefault ? 'yes' : 'no',
  });
}
