import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Problem } from '../api/problem.ts';
import { entriesAfter, newestEntries, type AuditEvent } from './log-queries.ts';
import type { LogFilter } from './log-search.ts';

/** More are not kept on the screen: a reload or a filter shows the others. */
const maxLive = 500;
const pauseMs = 3_000;

interface LiveLog {
  /** Newest first. */
  entries: AuditEvent[];
  error: Error | null;
  /** Whether further entries appear by themselves. */
  isLive: boolean;
  hasEarlier: boolean;
  isLoading: boolean;
  showEarlier: () => void;
}

/** The newest entries, and those that follow as they happen. */
export function useLiveLog(filter: LogFilter): LiveLog {
  // Equal filters are one, though each render makes another object.
  const key = JSON.stringify(filter);
  const pages = useInfiniteQuery({
    queryKey: ['audit-log', key],
    queryFn: ({ pageParam, signal }) => newestEntries(filter, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
    // What follows is added below; a page that is read again would miss or repeat entries.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [followed, setFollowed] = useState<AuditEvent[]>([]);
  const [isLive, setIsLive] = useState(false);
  const newest = pages.data?.pages[0]?.items[0]?.seq;
  const isLoaded = pages.data !== undefined;
  useEffect(() => {
    setFollowed([]);
    if (!isLoaded) return;
    const stop = new AbortController();
    void follow(JSON.parse(key) as LogFilter, newest ?? 0, stop.signal, setIsLive, (entries) =>
      setFollowed((before) => [...[...entries].reverse(), ...before].slice(0, maxLive)),
    );
    return () => stop.abort();
  }, [key, newest, isLoaded]);
  const entries = useMemo(
    () => [...followed, ...(pages.data?.pages.flatMap(({ items }) => items) ?? [])],
    [followed, pages.data],
  );
  return {
    entries,
    error: pages.error,
    isLive,
    hasEarlier: pages.hasNextPage,
    isLoading: pages.isFetching,
    showEarlier: () => void pages.fetchNextPage(),
  };
}

/** Polls until it is stopped. After a failure it tries again, from the same place. */
async function follow(
  filter: LogFilter,
  from: number,
  signal: AbortSignal,
  onLive: (isLive: boolean) => void,
  onEntries: (entries: AuditEvent[]) => void,
): Promise<void> {
  let after = from;
  while (!signal.aborted) {
    try {
      onLive(true);
      const { items, nextAfter } = await entriesAfter(filter, after, signal);
      after = nextAfter ?? after;
      if (items.length > 0) onEntries(items);
    } catch (error) {
      if (signal.aborted) return;
      onLive(false);
      const seconds = error instanceof Problem ? error.retryAfter : undefined;
      await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, (seconds ?? 0) * 1000)));
    }
  }
}
