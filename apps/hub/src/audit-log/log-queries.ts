import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import type { LogFilter } from './log-search.ts';

export type AuditEvent = Schemas['AuditEvent'];

const pageSize = 50;
/** How long a poll waits for an entry. The server allows 20. */
const waitSeconds = 20;

/** Actions and outcomes come from the address, so the API checks them. */
const queryOf = ({ action, outcome, ...ids }: LogFilter) => ({
  ...ids,
  ...(action !== undefined && { action: action as AuditEvent['action'] }),
  ...(outcome !== undefined && { outcome: outcome as AuditEvent['outcome']['result'] }),
});

/** A page, newest first. @param pageToken empty for the newest entries */
export function newestEntries(filter: LogFilter, pageToken: string, signal: AbortSignal) {
  return dataOf(
    api.GET('/o/{shortId}/api/admin/audit/events', {
      params: {
        path,
        query: { ...queryOf(filter), limit: pageSize, ...(pageToken !== '' && { next_page_token: pageToken }) },
      },
      signal,
    }),
  );
}

/** Entries after this one, oldest first. Waits for one (docs/audit-stream.md). */
export function entriesAfter(filter: LogFilter, after: number, signal: AbortSignal) {
  return dataOf(
    api.GET('/o/{shortId}/api/admin/audit/events', {
      params: { path, query: { ...queryOf(filter), order: 'asc', after, wait: waitSeconds, limit: pageSize } },
      signal,
    }),
  );
}

export const entry = (id: string) =>
  dataOf(api.GET('/o/{shortId}/api/admin/audit/events/{id}', { params: { path: { ...path, id } } }));

export const proofOf = async (id: string): Promise<Schemas['AuditProof']> => {
  const proof = await dataOf(
    api.GET('/o/{shortId}/api/admin/audit/events/{id}/proof', { params: { path: { ...path, id } } }),
  );
  // The other form is text, for those who accept it.
  return proof as Exclude<typeof proof, string>;
};

export const verifierKeys = () => dataOf(api.GET('/o/{shortId}/api/admin/audit/keys', { params: { path } }));
