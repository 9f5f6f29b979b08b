import {
  MutationCache,
  QueryCache,
  QueryClient,
  type InfiniteData,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type QueryKey,
} from '@tanstack/react-query';
import { Problem } from './problem.ts';

/** A session or a role may have ended: who is signed in, and what they may do, is read again at once. */
function onError(error: unknown): void {
  if (error instanceof Problem && (error.isSignedOut || error.code === 'not_granted'))
    void queryClient.invalidateQueries({ queryKey: ['me'] });
}

/** A list is read again page by page. One with more pages than these would use up the rate of its person. */
const maxReadAgain = 5;

const isPaged = (data: unknown): data is InfiniteData<unknown> =>
  typeof data === 'object' && data !== null && 'pages' in data && 'pageParams' in data;
const isLong = (data: unknown): boolean => isPaged(data) && data.pages.length > maxReadAgain;

/** Nothing reads a long list again by itself. After a change it has its first pages only, which are read again. */
class HubQueryClient extends QueryClient {
  override invalidateQueries<TaggedKey extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<TaggedKey>,
    options?: InvalidateOptions,
  ): Promise<void> {
    this.setQueriesData({ ...filters }, (data: unknown) =>
      isPaged(data) && isLong(data)
        ? { pages: data.pages.slice(0, maxReadAgain), pageParams: data.pageParams.slice(0, maxReadAgain) }
        : undefined,
    );
    return super.invalidateQueries(filters, options);
  }
}

const isShort = ({ state }: { state: { data: unknown } }): boolean => !isLong(state.data);

export const queryClient: QueryClient = new HubQueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => (queryKey[0] === 'me' ? undefined : onError(error)) }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && error instanceof Problem && error.isUncertain,
      refetchOnMount: isShort,
      refetchOnWindowFocus: isShort,
      refetchOnReconnect: isShort,
    },
  },
});
