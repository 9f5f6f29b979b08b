import { Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** The shape of a list that is being read, so that nothing moves when it comes. */
export function TableSkeleton({ columns }: { columns: number }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" role="status" aria-label={t('shell.loading')}>
      {Array.from({ length: 6 }, (_, row) => (
        <Skeleton key={row} height={28} width={`${100 - ((row * 7 + columns) % 20)}%`} />
      ))}
    </Stack>
  );
}
