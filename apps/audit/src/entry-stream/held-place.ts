import { allOrganizations } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import type { EntryStream, StreamState } from './entry-stream.js';

/** What is stored about a log, as far as a place in it needs it. */
export interface Published {
  begin: number;
  seq: number;
}

/**
 * The number of the message with the first entry after `after`.
 *
 * @throws invalid_state when the stream does not have all entries after it
 */
export async function messageAfter(
  entries: Pick<EntryStream, 'lastOf' | 'nextOf'>,
  org: string,
  after: number,
  { begin, seq }: Published,
  { first, last }: StreamState,
): Promise<number> {
  // PostgreSQL may not know yet what was published last.
  const newest = await entries.lastOf(org);
  if (after >= Math.max(seq, newest?.seq ?? 0)) return last + 1;
  const oldest = await entries.nextOf(org, first);
  if (!oldest || after < begin || oldest.seq > after + 1)
    throw notHeld(org, after, oldest && Math.max(oldest.seq, begin + 1));
  // The entries of a log are in order: nextOf(low) is not after `after`, nextOf(high) is.
  let [low, high] = [first - 1, last + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const found = await entries.nextOf(org, middle);
    if (found && found.seq <= after) low = found.streamSeq;
    else high = middle;
  }
  return high;
}

function notHeld(org: string, after: number, oldest: number | undefined): AppError {
  const holds = oldest === undefined ? `nothing of the log of ${org}` : `the log of ${org} from ${oldest} on`;
  return new AppError(
    'invalid_state',
    `The stream holds ${holds}, so it cannot deliver what comes after ${after}. The log itself is complete: ` +
      `holdfast audit tail ${org} --since ${after + 1}`,
  );
}

export function onlyFromTheBeginning(): AppError {
  return new AppError(
    'invalid_state',
    `A reader of all organizations ("${allOrganizations}") has no common seq: it can begin with everything that the ` +
      'stream holds (--after 0), or with what is appended from now on.',
  );
}
