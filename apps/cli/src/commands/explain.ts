import type { Command } from 'commander';
import { diagnoseSignIn, type SignInDiagnosis } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

export function explainCommand(program: Command): void {
  addCommand(program, 'explain <org> <subject>', 'why a customer can or cannot sign in, and what to do', [
    'explain acme 5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
  ]).action((org: string, subject: string, { json }: Json) =>
    asOperator('explain', async ({ request }) => {
      const diagnosis = await request(diagnoseSignIn, { subject }, org).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'unknown_subject') throw error;
        throw new CommandError(
          `${org} has no customer ${subject}: the id is wrong or of another organization, or the customer was erased.`,
        );
      });
      show(diagnosis, json, () => textOf(diagnosis));
    }),
  );
}

function textOf({ explanation, remedy, at, attempts, customer }: SignInDiagnosis): string {
  const credentials = customer.credentials.map((one) => [
    one.id,
    one.credentialType,
    one.status,
    one.expiresAt ?? '-',
    String(one.holders?.length ?? 0),
  ]);
  const tries = attempts.map(({ occurredAt, app, result, code }) => [occurredAt, app ?? '-', result, code ?? '-']);
  return [
    sheet({ Why: explanation, 'What to do': remedy, When: at, App: customer.app }),
    credentials.length > 0
      ? table(['CREDENTIAL', 'TYPE', 'STATUS', 'EXPIRES', 'PASSKEYS'], credentials)
      : 'No credential was ever offered.',
    tries.length > 0
      ? table(['ATTEMPT', 'APP', 'RESULT', 'CODE'], tries)
      : 'No attempt to sign in names this customer.',
  ].join('\n\n');
}
