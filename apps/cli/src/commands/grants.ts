import type { Command } from 'commander';
import { grantOperations, ungrantOperations, type App } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { asOperator } from '../operator-session.js';
import { show } from '../output.js';

const describeGrants = ({ name, org, scopes }: App) => `${name} of ${org} may use: ${scopes.join(' ') || 'nothing'}`;

export function grantCommands(program: Command): void {
  const grant = program.command('grant').description('operations that an app may use');

  addCommand(grant, 'add <clientId> <operations...>', 'grant operations to an app', [
    'grant add app_2Vw… issued:read issued:manage',
  ]).action((clientId: string, operations: string[], { json }: Json) =>
    asOperator('grant add', async ({ request }) => {
      const reply = await request(grantOperations, { clientId, operations });
      show(reply, json, () => describeGrants(reply));
    }),
  );

  addCommand(grant, 'remove <clientId> <operations...>', 'take operations from an app; all of its tokens are revoked', [
    'grant remove app_2Vw… issued:manage',
  ]).action((clientId: string, operations: string[], { json }: Json) =>
    asOperator('grant remove', async ({ request }) => {
      const reply = await request(ungrantOperations, { clientId, operations });
      show(
        reply,
        json,
        () => `${describeGrants(reply)}\nIts earlier tokens are rejected. New tokens have the remaining operations.`,
      );
    }),
  );
}
