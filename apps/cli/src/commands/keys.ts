import type { Command } from 'commander';
import { listKeys, rotateKeys, type IssuerKey } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { show, table } from '../output.js';

export function keyCommands(program: Command): void {
  const key = program.command('key').description("signing keys of an organization's issuer, or of the platform's");

  addCommand(key, 'list [org]', 'list the published keys; without an organization those of the platform', [
    'key list acme',
    'key list',
  ]).action((shortId: string | undefined, { json }: Json) =>
    asOperator('key list', async ({ request }) => {
      const { keys } = await request(listKeys, { shortId }, shortId);
      show(keys, json, () => keyTable(keys));
    }),
  );

  addCommand(key, 'rotate [org]', 'publish new keys, which sign after a time in which clients can load them', [
    'key rotate acme',
    'key rotate --platform',
    'key rotate acme --overlap 600',
    'key rotate acme --retire',
  ])
    .option('--platform', "the keys of the platform's issuer, which sign access tokens for the API", false)
    .option('--overlap <seconds>', 'time between publication and first signature', Number, 3600)
    .option(
      '--retire',
      'for a leaked key: the new keys sign at once, and signatures of the old keys are not valid any more',
      false,
    )
    .action((shortId: string | undefined, { json, overlap, retire, platform }: Json & RotateOptions) =>
      asOperator('key rotate', async ({ request }) => {
        if ((shortId === undefined) !== platform)
          throw new CommandError('Name an organization, or use --platform for the keys of the platform.', 2);
        const { keys } = await request(rotateKeys, { shortId, overlapSeconds: overlap, retire }, shortId);
        show(keys, json, () => keyTable(keys));
      }),
    );
}

interface RotateOptions {
  overlap: number;
  retire: boolean;
  platform: boolean;
}

function keyTable(keys: IssuerKey[]): string {
  return table(
    ['KEY ID', 'ALG', 'STATE', 'SIGNS FROM'],
    keys.map((k) => [k.kid, k.alg, k.state, k.signsFrom]),
  );
}
