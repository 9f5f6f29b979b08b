import { useSuspenseQuery } from '@tanstack/react-query';
import { operationsOf, type RoleOperation } from '@holdfast/contracts';
import { api, dataOf, path } from './client.ts';

/**
 * Each read is an entry of the audit log, so it is not read at intervals: any request that is denied because a session
 * or a role has ended reads it again (query-client.ts), and so does a tab that was left for a minute.
 */
export const meQuery = {
  queryKey: ['me'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users/me', { params: { path } })),
  staleTime: 60_000,
} as const;

/** Who is signed in, and what their roles let them do. The API decides; the hub only leaves out what it would deny. */
export function useMe() {
  const { data: me } = useSuspenseQuery(meQuery);
  const operations = operationsOf(me.roles);
  return { me, operations, may: (operation: RoleOperation) => operations.includes(operation) };
}
