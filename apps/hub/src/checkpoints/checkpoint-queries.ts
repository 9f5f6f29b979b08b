import { queryOptions } from '@tanstack/react-query';
import { parseNote } from '@holdfast/tlog';
import { api, dataOf, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { draftOf } from '../parts/draft.ts';
import { compare, type KeptCheckpoint } from './kept-checkpoint.ts';

/** A checkpoint is text: the client reads it as one. */
const checkpoint = (cosigned: boolean) =>
  dataOf<string>(
    api.GET('/o/{shortId}/api/admin/audit/checkpoint', {
      params: { path, query: cosigned ? { cosigned: 'true' } : {} },
      parseAs: 'text',
    }),
  );

const kept = draftOf(localStorage, `checkpoint:${shortId}`, { note: '', at: '' });

/** What this browser kept; undefined before its first visit. */
function keptCheckpoint(): KeptCheckpoint | undefined {
  const { note, at } = kept.read();
  return note === '' ? undefined : { note, at };
}

export const keep = (note: string): void => kept.store({ note, at: new Date().toISOString() });

/** The newest checkpoint, compared with the kept one, which it replaces when the log continues it. */
export const comparisonQuery = queryOptions({
  queryKey: ['checkpoint'],
  queryFn: async () => {
    const [note, { keys }] = await Promise.all([
      checkpoint(false),
      dataOf(api.GET('/o/{shortId}/api/admin/audit/keys', { params: { path } })),
    ]);
    const before = keptCheckpoint();
    const proofOf = async (from: number, to: number) => {
      const query = { from, to };
      const { hashes } = await dataOf(api.GET('/o/{shortId}/api/admin/audit/consistency', { params: { path, query } }));
      return hashes;
    };
    const result = await compare(before, note, keys, proofOf);
    if (result.comparison.kind !== 'broken') keep(note);
    return { ...result, note, keys, before };
  },
  // Each read is an entry of the log, so it grows by being looked at.
  staleTime: 60_000,
});

/** The newest checkpoint that witnesses have signed, with their names; null when none has. */
export const cosignedQuery = queryOptions({
  queryKey: ['checkpoint', 'cosigned'],
  queryFn: async () => {
    const note = await checkpoint(true).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'unknown_checkpoint') return null;
      throw error;
    });
    if (note === null) return null;
    const { text, signatures } = parseNote(note);
    const [origin, size = ''] = text.split('\n');
    return { size, witnesses: signatures.map(({ name }) => name).filter((name) => name !== origin) };
  },
  staleTime: 60_000,
});
