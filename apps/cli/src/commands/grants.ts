import type { Command } from 'commander';
import { grantOperations, ungrantOperations, type App } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { asOperator } from '../operator-session.js';
import { show } from '../output.js';

const standing = ({ name, org, scopes }: App) => `${name} of ${org} may use: ${scopes.join(' ') || 'nothing'}`;

export function grantCommands(program: Command): void {
  const grant = program.command('grant').description('what an app may do');

  addCommand(grant, 'add <clientId> <operations...>', 'grant operations to an app', [
    'grant add app_2Vw… issued:read issued:manage',
  ]).action((clientId: string, operations: string[], { json }: Json) =>
    asOperator('grant add', async ({ request }) => {
      const reply = await request(grantOperations, { clientId, operations });
      show(reply, json, () => standing(reply));
    }),
  );

  addCommand(grant, 'remove <clientId> <operations...>', 'take operations from an app; all of its tokens end', [
    'grant remove app_2Vw… issued:manage',
  ]).action((clientId: string, operations: string[], { json }: Json) =>
    asOperator('grant remove', async ({ request }) => {
      const reply = await request(ungrantOperations, { clientId, operations });
      show(reply, json, () => `${standing(reply)}\nIts tokens from before are refused; new ones hold what is left.`);
    }),
  );
}
