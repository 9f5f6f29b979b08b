import type { Command } from 'commander';
import { errorCatalogue } from '@holdfast/contracts';
import { UncertainError } from '@holdfast/messaging/client';
import { AppError } from '@holdfast/platform';
import { fieldError } from './field-errors.js';

/** Ends a command: its message is printed, without a stack trace. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** Ends a command with exit code 1 that has printed what it found, and therefore has no message. */
export class FailedCheckError extends CommandError {
  constructor() {
    super('');
  }
}

/** A command uses the stack whose folder HOLDFAST_HOME names. Often another one is running. */
export const startHint =
  'Is Holdfast running? Start it with `npm start`. If its HOLDFAST_HOME is another folder, set that for this ' +
  'command too.';

/** The same command may succeed when it is repeated. */
export class TransientCommandError extends CommandError {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

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
