import { useQueries } from '@tanstack/react-query';
import { api, dataOf, path } from './client.ts';

const personNameQuery = (user: string) => ({
  queryKey: ['person', user],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users/{user}', { params: { path: { ...path, user } } })),
  staleTime: 60_000,
  // A person who was removed has no name any more.
  retry: false,
});

/** The names of people by their ids, each read once a minute at most; those that are not known yet are missing. */
export function usePeopleNames(users: readonly string[]): Map<string, string> {
  const found = useQueries({ queries: [...new Set(users)].slice(0, 100).map(personNameQuery) });
  return new Map(found.flatMap(({ data }) => (data ? [[data.id, data.name] as const] : [])));
}
