import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { pageOf, paging } from '../parts/pages.ts';

export type Group = Schemas['Group'];

export const groupsQuery = infiniteQueryOptions({
  queryKey: ['groups'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/o/{shortId}/api/admin/groups', { params: { path, query: pageOf(pageParam) } })),
  ...paging,
});

export const groupQuery = (group: string) =>
  queryOptions({
    queryKey: ['group', group],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/groups/{group}', { params: { path: { ...path, group } } })),
  });

export const membersQuery = (group: string) =>
  infiniteQueryOptions({
    queryKey: ['group', group, 'members'],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/groups/{group}/members', {
          params: { path: { ...path, group }, query: pageOf(pageParam) },
        }),
      ),
    ...paging,
  });

/** After a change of the group or its members. */
export async function reloadGroup(group: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['group', group] }),
    queryClient.invalidateQueries({ queryKey: ['groups'] }),
  ]);
}
