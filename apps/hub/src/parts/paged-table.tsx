import { Button, Stack, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ObjectTable, type Column } from './object-table.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { TableSkeleton } from './table-skeleton.tsx';

interface Props<Item> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: Item[] }>>;
  columns: readonly Column<Item>[];
  keyOf: (item: Item) => string;
  /** Shown instead of an empty table: what it is for. */
  none: ReactNode;
  current?: string | undefined;
}

/** A list of the API, page by page: as a button, and once it is long by itself. */
export function PagedTable<Item>({ query, columns, keyOf, none, current }: Props<Item>) {
  const { t } = useTranslation();
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const next = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Stack gap="sm" align="stretch">
      {error && <ProblemNotice error={error} />}
      {isPending && <TableSkeleton columns={columns.length} />}
      {data && items.length === 0 && <Text component="div">{none}</Text>}
      {items.length > 0 && <ObjectTable columns={columns} items={items} keyOf={keyOf} current={current} onEnd={next} />}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={next}>
          {t('list.more')}
        </Button>
      )}
    </Stack>
  );
}
