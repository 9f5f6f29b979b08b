import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from './problem.ts';

/** A session or a role may have ended: who is signed in, and what they may do, is read again at once. */
function onError(error: unknown): void {
  if (error instanceof Problem && (error.isSignedOut || error.code === 'not_granted'))
    void queryClient.invalidateQueries({ queryKey: ['me'] });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => (queryKey[0] === 'me' ? undefined : onError(error)) }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && error instanceof Problem && error.isUncertain,
    },
  },
});
