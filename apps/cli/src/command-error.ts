import type { Command } from 'commander';
import { errorCatalogue } from '@holdfast/contracts';
import { UncertainError } from '@holdfast/messaging/client';
import { AppError } from '@holdfast/platform';
import { fieldError } from './field-errors.js';

/** A command that could not do what it was asked: its message is all that is shown. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** A command reaches the stack whose folder HOLDFAST_HOME names: often another one is running. */
export const startHint =
  'Is it running? Start it with: npm start. If it runs with a folder of its own, set HOLDFAST_HOME to that folder.';

/** What may succeed when it is tried again. */
export class TransientCommandError extends CommandError {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** Whatever went wrong, in one sentence that says what to do. `command` is the one that was given, with its options. */
export function sentence(error: unknown, command?: Command): string {
  if (error instanceof AppError) return ofAppError(error, command);
  return error instanceof Error ? error.message : String(error);
}

function ofAppError(error: AppError, command?: Command): string {
  const { code, detail, errors = [] } = error;
  const { title, help } = errorCatalogue[code];
  if (error instanceof UncertainError)
    return `${detail ?? `${title} (the log of the service has the details)`}; look whether the change was made, then try again.`;
  if (code === 'unavailable') return `Holdfast is unavailable: ${detail ?? title}. ${startHint}`;
  if (code === 'internal') return `${title}; the log of the service has the details.`;
  if (errors.length > 0) return errors.map((fault) => fieldError(fault, command)).join('\n');
  return detail ?? `${title}. ${help}`;
}
