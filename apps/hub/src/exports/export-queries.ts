import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { pageOf, paging } from '../parts/pages.ts';

export type AuditExport = Schemas['AuditExport'];
export type AuditDestination = Schemas['AuditDestination'];

export const exportsQuery = infiniteQueryOptions({
  queryKey: ['exports'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/o/{shortId}/api/admin/audit/exports', { params: { path, query: pageOf(pageParam) } })),
  ...paging,
  // As long as one is being written, its progress is shown.
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ items }) => items.some((one) => one.state === 'queued' || one.state === 'running'))
      ? 2000
      : false,
});

export function reloadExports(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['exports'] });
}

export const destinationsQuery = queryOptions({
  queryKey: ['destinations'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/audit/destinations', { params: { path } })),
  // Its lag changes all the time.
  refetchInterval: 10_000,
});

export function reloadDestinations(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['destinations'] });
}

/** The signing secret of a destination that was just made or rotated, with its address. In the memory of this tab. */
export const newDestinationSecretKey = ['new-destination-secret'] as const;
