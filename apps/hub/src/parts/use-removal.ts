import { useMutation, type InfiniteData } from '@tanstack/react-query';
import { queryClient } from '../api/query-client.ts';

type Pages<Item> = InfiniteData<{ items: Item[] }>;

interface Removal<Item> {
  /** Of the list that shows the item. */
  queryKey: readonly unknown[];
  keyOf: (item: Item) => string;
  send: (item: Item) => Promise<unknown>;
  onDone: (item: Item) => unknown;
}

/** Removes an item from a list. Its row goes at once, and is back when the request fails. */
export function useRemoval<Item>({ queryKey, keyOf, send, onDone }: Removal<Item>) {
  return useMutation({
    mutationFn: send,
    onMutate: async (item: Item) => {
      // A read that has begun before would bring the row back.
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<Pages<Item>>(queryKey);
      if (before)
        queryClient.setQueryData(
          queryKey,
          without(before, (other) => keyOf(other) === keyOf(item)),
        );
      return before;
    },
    onError: (_, __, before) => before && queryClient.setQueryData(queryKey, before),
    onSuccess: (_, item) => onDone(item),
  });
}

function without<Item>({ pages, ...rest }: Pages<Item>, isRemoved: (item: Item) => boolean): Pages<Item> {
  return { ...rest, pages: pages.map((page) => ({ ...page, items: page.items.filter((item) => !isRemoved(item)) })) };
}
