import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';

export type Person = Schemas['User'];

/** @param beginning of a name or an e-mail address; empty for all */
export const peopleQuery = (beginning: string) =>
  infiniteQueryOptions({
    queryKey: ['people', beginning],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/users', {
          params: {
            path,
            query: {
              limit: 50,
              ...(beginning !== '' && { q: beginning }),
              ...(pageParam !== '' && { next_page_token: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });

export const personQuery = (user: string) =>
  queryOptions({
    queryKey: ['person', user],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users/{user}', { params: { path: { ...path, user } } })),
  });

/** After a change of the person. */
export async function reloadPerson(user: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['person', user] }),
    queryClient.invalidateQueries({ queryKey: ['people'] }),
  ]);
}

/** An invitation link that was just created. It is in the memory of this tab, and nowhere else. */
export const newLinkKey = (user: string) => ['new-link', user] as const;
