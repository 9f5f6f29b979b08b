import { afterEach, describe, expect, it } from '@jest/globals';
import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query';
import { paging } from '../parts/pages.ts';
import { queryClient } from './query-client.ts';

afterEach(() => queryClient.clear());

/** A list whose pages are numbers. */
function listOf(pages: number) {
  const read: string[] = [];
  const options = {
    queryKey: ['numbers', pages],
    queryFn: ({ pageParam }: { pageParam: string }) => {
      read.push(pageParam);
      const next = Number(pageParam || 0) + 1;
      return Promise.resolve({ items: [next], ...(next < pages && { nextPageToken: String(next) }) });
    },
    ...paging,
    staleTime: 0,
  };
  const observe = async () => {
    const observer = new InfiniteQueryObserver(queryClient, options);
    const stop = observer.subscribe(() => undefined);
    while (observer.getCurrentResult().isFetching) await new Promise((resolve) => setTimeout(resolve, 1));
    return { observer, stop };
  };
  const readAll = async () => {
    const { observer, stop } = await observe();
    while (observer.getCurrentResult().hasNextPage) await observer.fetchNextPage();
    stop();
    read.length = 0;
  };
  return { read, observe, readAll, key: options.queryKey };
}

describe('a list of many pages', () => {
  it('is not read again when its screen is opened again', async () => {
    const list = listOf(20);
    await list.readAll();
    const { observer } = await list.observe();
    expect(observer.getCurrentResult().data?.pages).toHaveLength(20);
    expect(list.read).toEqual([]);
  });

  it('has its first pages after a change, which are read again', async () => {
    const list = listOf(20);
    await list.readAll();
    const { observer } = await list.observe();
    await queryClient.invalidateQueries({ queryKey: ['numbers'] });
    expect(list.read).toEqual(['', '1', '2', '3', '4']);
    expect(observer.getCurrentResult().data?.pages).toHaveLength(5);
    expect(observer.getCurrentResult().hasNextPage).toBe(true);
  });
});

it('a list of a few pages is read again when its screen is opened again, and after a change', async () => {
  const list = listOf(3);
  await list.readAll();
  await list.observe();
  await queryClient.invalidateQueries({ queryKey: list.key });
  expect(list.read).toEqual(['', '1', '2', '', '1', '2']);
});

it('a change leaves other queries as they were', async () => {
  const observer = new QueryObserver(queryClient, { queryKey: ['one'], queryFn: () => Promise.resolve({ pages: 1 }) });
  const stop = observer.subscribe(() => undefined);
  while (observer.getCurrentResult().isFetching) await new Promise((resolve) => setTimeout(resolve, 1));
  await queryClient.invalidateQueries({ queryKey: ['another'] });
  expect(observer.getCurrentResult()).toMatchObject({ data: { pages: 1 }, isStale: false });
  stop();
});
