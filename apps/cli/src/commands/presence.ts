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
    .description('presence proofs: whether an offer requires one, and from which provider');

  addCommand(presence, 'show <org>', "show the organization's policy", ['presence show acme']).action(
    (org: string, { json }: Json) =>
      asOperator('presence show', async ({ request }) => {
        const reply = await request(getPresencePolicy, {}, org);
        show(reply, json, () => policySheet(reply));
      }),
  );

  addCommand(presence, 'set <org>', 'change the given parts of the policy; in force within a second', [
    'presence set acme --policy required',
    'presence set acme --turnstile-secret-stdin < turnstile-secret.txt',
    'presence set acme --no-turnstile',
  ])
    .addOption(
      new Option('--policy <policy>', 'whether an offer requires a presence proof').choices(['optional', 'required']),
    )
    .option(
      '--turnstile-secret-stdin',
      'accept proofs of Cloudflare Turnstile. The secret of its widget is read from standard input, so that no list ' +
        'of processes shows it',
    )
    .option('--no-turnstile', 'accept no proofs of Turnstile')
    .action((org: string, { json, policy, turnstile, turnstileSecretStdin }: SetOptions) =>
      asOperator('presence set', async ({ request }) => {
        if (turnstileSecretStdin && turnstile === false)
          throw new CommandError('--turnstile-secret-stdin and --no-turnstile exclude each other.');
        if (policy === undefined && !turnstileSecretStdin && turnstile !== false)
          throw new CommandError('There is nothing to change. "holdfast presence set --help" lists the options.');
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
      'Standard input is empty. Pipe the secret in: ' +
        'holdfast presence set acme --turnstile-secret-stdin < turnstile-secret.txt',
    );
  return secret;
}

function policySheet({ policy, turnstile }: PresencePolicy): string {
  return sheet({
    Policy:
      policy === 'required'
        ? 'required: an offer without a presence proof is denied'
        : 'optional: a presence proof is verified when one is sent',
    ALTCHA: 'yes, built in',
    Turnstile: turnstile ? 'yes, with a secret' : 'no',
  });
}
