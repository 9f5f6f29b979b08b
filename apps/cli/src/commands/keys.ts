import type { Command } from 'commander';
import { listKeys, rotateKeys, type IssuerKey } from '@holdfast/contracts';
import { withHouse } from '../house.js';
import { show, table } from '../output.js';
import { verb, type Json } from '../verb.js';

export function keyCommands(program: Command): void {
  const key = program.command('key').description("signing keys of an organization's issuer");

  verb(key, 'list <org>', 'list the published keys', ['key list acme']).action((shortId: string, { json }: Json) =>
    withHouse('key list', async ({ ask }) => {
      const { keys } = await ask(listKeys, { shortId }, shortId);
      show(keys, json, () => keyTable(keys));
    }),
  );

  verb(key, 'rotate <org>', 'publish new keys, which sign once everybody can know them', [
    'key rotate acme',
    'key rotate acme --overlap 600',
    'key rotate acme --retire',
  ])
    .option('--overlap <seconds>', 'how long the new keys are published before they sign', Number, 3600)
    .option(
      '--retire',
      'for a key that leaked: the new keys sign now, and what the old ones signed is worth nothing any more',
      false,
    )
    .action((shortId: string, { json, overlap, retire }: Json & { overlap: number; retire: boolean }) =>
      withHouse('key rotate', async ({ ask }) => {
        const { keys } = await ask(rotateKeys, { shortId, overlapSeconds: overlap, retire }, shortId);
        show(keys, json, () => keyTable(keys));
      }),
    );
}

function keyTable(keys: IssuerKey[]): string {
  return table(
    ['KEY ID', 'ALG', 'STATE', 'SIGNS FROM'],
    keys.map((k) => [k.kid, k.alg, k.state, k.signsFrom]),
  );
}
