import { text } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import { getPresencePolicy, setPresencePolicy, type PresencePolicy } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show } from '../output.js';

interface SetOptions extends Json {
  policy?: PresencePolicy['policy'];
  turnstile?: boolean;
  turnstileSecretStdin?: boolean;
}

export function presenceCommands(program: Command): void {
  const presence = program
    .command('presence')
    .description('proof of presence: whether an offer needs one, and who may give it');

  addCommand(presence, 'show <org>', "show an organization's policy", ['presence show acme']).action(
    (org: string, { json }: Json) =>
      asOperator('presence show', async ({ request }) => {
        const reply = await request(getPresencePolicy, {}, org);
        show(reply, json, () => policySheet(reply));
      }),
  );

  addCommand(
    presence,
    'set <org>',
    'change what is given of the policy, and leave the rest; in force within a second',
    [
      'presence set acme --policy required',
      'presence set acme --turnstile-secret-stdin < turnstile-secret.txt',
      'presence set acme --no-turnstile',
    ],
  )
    .addOption(
      new Option('--policy <policy>', 'whether an offer without a proof is refused').choices(['optional', 'required']),
    )
    .option(
      '--turnstile-secret-stdin',
      'take proofs of Cloudflare Turnstile, with the secret of its widget, read from standard input so that it stands in no list of processes',
    )
    .option('--no-turnstile', 'take no proofs of Turnstile')
    .action((org: string, { json, policy, turnstile, turnstileSecretStdin }: SetOptions) =>
      asOperator('presence set', async ({ request }) => {
        if (turnstileSecretStdin && turnstile === false)
          throw new CommandError('--turnstile-secret-stdin and --no-turnstile exclude each other.');
        if (policy === undefined && !turnstileSecretStdin && turnstile !== false)
          throw new CommandError('Nothing to change was given; "holdfast presence set --help" lists what can be.');
        const turnstileSecret = turnstileSecretStdin ? await secretFromInput() : turnstile === false ? null : undefined;
        const reply = await request(
          setPresencePolicy,
          { ...(policy && { policy }), ...(turnstileSecret !== undefined && { turnstileSecret }) },
          org,
        );
        show(reply, json, () => policySheet(reply));
      }),
    );
}

async function secretFromInput(): Promise<string> {
  const secret = (await text(process.stdin)).trim();
  if (secret === '')
    throw new CommandError(
      'Standard input is empty; pipe the secret in, such as: holdfast presence set acme --turnstile-secret-stdin < turnstile-secret.txt',
    );
  return secret;
}

function policySheet({ policy, turnstile }: PresencePolicy): string {
  return sheet({
    Policy:
      policy === 'required'
        ? 'required: an offer without a proof is refused'
        : 'optional: a proof is verified when one is sent',
    ALTCHA: 'yes, built in',
    Turnstile: turnstile ? 'yes, with a secret' : 'no',
  });
}
