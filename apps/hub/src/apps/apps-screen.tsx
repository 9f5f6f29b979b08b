import { Button, Table, Text } from '@mantine/core';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { shortId } from '../api/organization.ts';
import { ScreenLink } from '../parts/link.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { appsQuery } from './app-queries.ts';

/** The apps of the organization, newest first. */
export function AppsScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(appsQuery);
  const apps = data.pages.flatMap(({ items }) => items);
  return (
    <Screen
      title={t('apps.title')}
      actions={<Button onClick={() => void navigate({ to: '/apps/new' })}>{t('apps.newApp')}</Button>}
    >
      {apps.length === 0 ? (
        <Text>
          {t('apps.none')}. {t('apps.noneBody')}
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={560}>
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                {(['name', 'kind', 'state', 'operations'] as const).map((column) => (
                  <Table.Th key={column}>{t(`apps.${column}`)}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {apps.map(({ clientId, name, kind, status, scopes }) => (
                <Table.Tr key={clientId}>
                  <Table.Td>
                    <ScreenLink to="/apps/$clientId" params={{ clientId }} dir="auto">
                      {name}
                    </ScreenLink>
                  </Table.Td>
                  <Table.Td>{t(`apps.${kind}`)}</Table.Td>
                  <Table.Td>{t(`apps.${status}`)}</Table.Td>
                  <Table.Td>{scopes.length}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('apps.more')}
        </Button>
      )}
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/apps?limit=50` }} operation="apps:manage" />
    </Screen>
  );
}
