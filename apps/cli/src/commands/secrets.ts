import type { Command } from 'commander';
import { createSecret, listSecrets, revokeSecret } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

export function describeSecret(secretId: string, clientSecret: string): string {
  const fields = sheet({ 'Secret ID': secretId, 'Client secret': clientSecret });
  return `${fields}\nThe client secret is shown only once. Store it now.`;
}

export function secretCommands(program: Command): void {
  const secret = program
    .command('secret')
    .description('client secrets: two may be valid at once, so that one can be rotated without downtime');

  addCommand(secret, 'create <clientId>', 'create a further client secret, shown once', [
    'secret create app_2Vw…',
  ]).action((clientId: string, { json }: Json) =>
    asOperator('secret create', async ({ request }) => {
      const reply = await request(createSecret, { clientId });
      show(reply, json, () => describeSecret(reply.secretId, reply.clientSecret));
    }),
  );

  addCommand(secret, 'list <clientId>', 'list the ids of the valid client secrets of an app', [
    'secret list app_2Vw…',
  ]).action((clientId: string, { json }: Json) =>
    asOperator('secret list', async ({ request }) => {
      const { items } = await request(listSecrets, { clientId });
      show(items, json, () =>
        items.length === 0
          ? 'The app has no valid client secret.'
          : table(
              ['SECRET ID', 'CREATED'],
              items.map((s) => [s.id, s.createdAt]),
            ),
      );
    }),
  );

  addCommand(
    secret,
    'revoke <clientId> <secretId>',
    'revoke a client secret and the tokens issued with it, within a second',
    ['secret revoke app_2Vw… sec_9pQ…'],
  ).action((clientId: string, secretId: string, { json }: Json) =>
    asOperator('secret revoke', async ({ request }) => {
      const reply = await request(revokeSecret, { clientId, secretId });
      show(reply, json, () => `${secretId} is revoked. Tokens issued with it are rejected.`);
    }),
  );
}
