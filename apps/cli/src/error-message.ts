import type { Command } from 'commander';
import { errorCatalogue } from '@holdfast/contracts';
import { UncertainError } from '@holdfast/messaging/client';
import { AppError } from '@holdfast/platform';
import { startHint } from './command-error.js';
import { fieldError } from './field-errors.js';

/** A message that says what happened and what to do. `command` is the command that ran, with its options. */
export function errorMessage(error: unknown, command?: Command): string {
  if (error instanceof AppError) return appErrorMessage(error, command);
  return error instanceof Error ? error.message : String(error);
}

function appErrorMessage(error: AppError, command?: Command): string {
  const { code, detail, errors = [] } = error;
  const { title, help } = errorCatalogue[code];
  if (error instanceof UncertainError)
    return `${detail ?? `${title} (see the log of the service)`}. Check whether the change was made, then try again.`;
  if (code === 'unavailable') return `${(detail ?? title).replace(/\.$/, '')}. ${startHint}`;
  if (code === 'internal') return `${title}. See the log of the service.`;
  if (errors.length > 0) return errors.map((issue) => fieldError(issue, command)).join('\n');
  return detail ?? `${title}. ${help}`;
}
