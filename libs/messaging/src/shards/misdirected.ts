import { AppError } from '@holdfast/platform';

/** A request or event of an organization that another shard has. Trying again here does not help. */
export class MisdirectedError extends AppError {
  constructor(detail: string) {
    super('unavailable', detail, { retryAfter: 1, origin: { dependency: 'shard', cause: 'misdirected' } });
  }
}

/** The organization moves to or from this shard, or has moved away. The sender may not know that yet. */
export class MovingError extends MisdirectedError {}

/** Whether an error says that the called service refused a request, before it handled it, because of its shard. */
export function isMisdirected(error: unknown): boolean {
  if (!(error instanceof AppError) || error.origin?.cause !== 'misdirected') return false;
  const path = error.origin.dependency.split('/');
  return path.length <= 2 && path.at(-1) === 'shard';
}
