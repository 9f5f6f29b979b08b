import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { pageOf, paging } from '../parts/pages.ts';
import type { EntitlementSearch, RequestSearch } from './access-search.ts';

export type AccessRequest = Schemas['AccessRequest'];
export type Entitlement = Schemas['Entitlement'];

export const requestsQuery = ({ status = 'pending' }: RequestSearch) =>
  infiniteQueryOptions({
    queryKey: ['access-requests', status],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/access-requests', {
          params: { path, query: { ...pageOf(pageParam), ...(status !== 'all' && { status }) } },
        }),
      ),
    ...paging,
  });

export const myRequestsQuery = infiniteQueryOptions({
  queryKey: ['access-requests', 'mine'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/o/{shortId}/api/admin/access-requests/mine', { params: { path, query: pageOf(pageParam) } })),
  ...paging,
});

export const entitlementsQuery = (search: EntitlementSearch) =>
  infiniteQueryOptions({
    queryKey: ['entitlements', search],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/entitlements', {
          params: { path, query: { ...pageOf(pageParam), ...search } },
        }),
      ),
    ...paging,
  });

/** After a decision or a withdrawal. */
export function reloadRequests(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['access-requests'] });
}
