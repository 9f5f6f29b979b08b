import { skipToken, useQuery } from '@tanstack/react-query';

/** A value that another screen has put into the cache, and that no request returns again; undefined without one. */
export function useKnown<Value>(queryKey: readonly unknown[]): Value | undefined {
  return useQuery<Value>({ queryKey, queryFn: skipToken }).data;
}
