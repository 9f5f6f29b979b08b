import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { pageOf, paging } from '../parts/pages.ts';
import type { MessageSearch } from './message-search.ts';

export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookMessage = Schemas['WebhookMessage'];

/** States change while messages are sent. */
const refetchInterval = 10_000;

export const endpointsQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/webhooks/endpoints', { params: { path } })),
});

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: () =>
      dataOf(api.GET('/o/{shortId}/api/admin/webhooks/endpoints/{id}', { params: { path: { ...path, id } } })),
  });

export const messagesQuery = (endpoint: string, { status }: MessageSearch) =>
  infiniteQueryOptions({
    queryKey: ['webhook', endpoint, 'messages', status ?? ''],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/webhooks/messages', {
          params: { path, query: { ...pageOf(pageParam), endpoint, ...(status && { status }) } },
        }),
      ),
    ...paging,
    refetchInterval,
  });

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook-message', id],
    queryFn: () =>
      dataOf(api.GET('/o/{shortId}/api/admin/webhooks/messages/{id}/attempts', { params: { path: { ...path, id } } })),
  });

export const eventTypesQuery = queryOptions({
  queryKey: ['webhook-event-types'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/webhooks/event-types', { params: { path } })),
  staleTime: Infinity,
});

/** After a change of the endpoint, or of what it is sent. */
export async function reloadEndpoint(id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['webhook', id] }),
    queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
    queryClient.invalidateQueries({ queryKey: ['webhook-message'] }),
  ]);
}

/** A signing secret that was just made. It is in the memory of this tab, and nowhere else. */
export const newSigningSecretKey = (id: string) => ['new-signing-secret', id] as const;
