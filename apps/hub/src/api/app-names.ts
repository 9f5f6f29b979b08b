import { useQuery } from '@tanstack/react-query';
import { api, dataOf, path } from './client.ts';
import { useMe } from './me.ts';

const appNamesQuery = {
  queryKey: ['apps', 'names'],
  queryFn: async () => {
    const { items } = await dataOf(api.GET('/o/{shortId}/api/admin/apps', { params: { path, query: { limit: 200 } } }));
    return items.map(({ clientId, name, displayName, kind, scopes, status }) => ({
      clientId,
      name: displayName ?? name,
      mayOffer: status === 'enabled' && scopes.includes('offers:write'),
      kind,
    }));
  },
  staleTime: 60_000,
} as const;

/** The newest two hundred apps of the organization by name. Any other one goes by its client ID. */
export function useAppNames() {
  const { may } = useMe();
  const { data: apps = [] } = useQuery({ ...appNamesQuery, enabled: may('apps:read') });
  return {
    apps,
    nameOf: (clientId: string) => apps.find((app) => app.clientId === clientId)?.name ?? clientId,
  };
}
