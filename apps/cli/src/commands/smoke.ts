import type { Command } from 'commander';
import { addCommand, type Json } from '../add-command.js';
import { asOperator } from '../operator-session.js';
import { show } from '../output.js';
import { smokeTest } from '../smoke/smoke-test.js';

export function smokeCommand(program: Command): void {
  addCommand(
    program,
    'smoke',
    'check a deployment as an app would: get a token, create an offer, list customers, withdraw the offer; in an ' +
      'organization of its own, holdfast-smoke, which it creates',
    ['smoke --gateway https://id.example.com'],
  )
    .requiredOption('--gateway <url>', 'address of a gateway')
    .action(({ json, gateway }: Json & { gateway: string }) =>
      asOperator('smoke', async (session) => {
        const steps = await smokeTest(session, gateway.replace(/\/+$/, ''));
        show({ steps }, json, () => steps.map((step) => `ok  ${step}`).join('\n'));
      }),
    );
}
