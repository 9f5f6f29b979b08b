import type { Command } from 'commander';
import { grantOperations, ungrantOperations, type App } from '@holdfast/contracts';
import { withHouse } from '../house.js';
import { show } from '../output.js';
import { verb, type Json } from '../verb.js';

const standing = ({ name, org, scopes }: App) => `${name} of ${org} may use: ${scopes.join(' ') || 'nothing'}`;

export function grantCommands(program: Command): void {
  const grant = program.command('grant').description('what an app may do');

  verb(grant, 'add <clientId> <operations...>', 'grant operations to an app', [
    'grant add app_2Vw… issued:read issued:manage',
  ]).action((clientId: string, operations: string[], { json }: Json) =>
    withHouse('grant add', async ({ ask }) => {
      const reply = await ask(grantOperations, { clientId, operations });
      show(reply, json, () => standing(reply));
    }),
  );

  verb(grant, 'remove <clientId> <operations...>', 'take operations from an app; all of its tokens end', [
    'grant remove app_2Vw… issued:manage',
  ]).action((clientId: string, operations: string[], { json }: Json) =>
    withHouse('grant remove', async ({ ask }) => {
      const reply = await ask(ungrantOperations, { clientId, operations });
      show(reply, json, () => `${standing(reply)}\nIts tokens from before are refused; new ones hold what is left.`);
    }),
  );
}
