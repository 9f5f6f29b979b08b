import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';

export type App = Schemas['App'];
export type ClientSecret = Schemas['ClientSecret'];

export const appsQuery = infiniteQueryOptions({
  queryKey: ['apps'],
  queryFn: ({ pageParam }) =>
    dataOf(
      api.GET('/o/{shortId}/api/admin/apps', {
        params: { path, query: { limit: 50, ...(pageParam !== '' && { next_page_token: pageParam }) } },
      }),
    ),
  initialPageParam: '',
  getNextPageParam: ({ nextPageToken }) => nextPageToken,
});

export const appQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['app', clientId],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/apps/{clientId}', paramsOf(clientId))),
  });

export const secretsQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['app', clientId, 'secrets'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/apps/{clientId}/secrets', paramsOf(clientId))),
  });

/** After a change of the app. */
export async function reloadApp(clientId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['app', clientId] }),
    queryClient.invalidateQueries({ queryKey: ['apps'] }),
  ]);
}

/** Parameters of a request about one app. */
const paramsOf = (clientId: string) => ({ params: { path: { ...path, clientId } } });

/** A client secret that was just created. It is in the memory of this tab, and nowhere else. */
export const newSecretKey = (clientId: string) => ['new-secret', clientId] as const;

/** Why an app that was just created has no operations although some were chosen. */
export const notGrantedKey = (clientId: string) => ['not-granted', clientId] as const;
