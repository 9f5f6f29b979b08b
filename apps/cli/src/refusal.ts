import { errorCatalogue } from '@holdfast/contracts';
import { AppError } from '@holdfast/kit';
import { UncertainError } from '@holdfast/bus/client';

/** A command that could not do what it was asked: its message is all that is shown. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** Whatever went wrong, in one sentence that says what to do. */
export function sentence(error: unknown): string {
  if (error instanceof AppError) return ofAppError(error);
  return error instanceof Error ? error.message : String(error);
}

function ofAppError(error: AppError): string {
  const { code, detail, errors = [] } = error;
  const { title, help } = errorCatalogue[code];
  if (error instanceof UncertainError) return `${detail ?? `${title} (the log of the service has the details)`}; look whether the change was made, then try again.`;
  if (code === 'unavailable') return `Holdfast cannot do this now: ${detail ?? title}. Is the house running? Start it with: npm start`;
  if (code === 'internal') return `${title}; the log of the service has the details.`;
  if (errors.length > 0) return errors.map((fault) => `${(fault.pointer ?? '').replace('#/input/', '')}: ${fault.detail}`).join('; ');
  return detail ?? `${title}. ${help}`;
}
