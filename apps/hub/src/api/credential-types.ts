import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, path } from './client.ts';

/** The credential types of the organization, the oldest first. */
export const credentialTypesQuery = queryOptions({
  queryKey: ['credential-types'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/credential-types', { params: { path } })),
  staleTime: 60_000,
});
