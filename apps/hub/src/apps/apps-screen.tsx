import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { ScreenLink } from '../parts/link.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { appsQuery, type App } from './app-queries.ts';

/** The apps of the organization, newest first. */
export function AppsScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const navigate = useNavigate();
  const apps = useInfiniteQuery(appsQuery);
  return (
    <Screen
      title={t('apps.title')}
      actions={
        may('apps:manage') && <Button onClick={() => void navigate({ to: '/apps/new' })}>{t('apps.newApp')}</Button>
      }
    >
      <PagedTable<App>
        query={apps}
        keyOf={({ clientId }) => clientId}
        none={
          <Text>
            {t('apps.none')}. {t('apps.noneBody')}
          </Text>
        }
        columns={[
          {
            title: t('apps.name'),
            cell: ({ clientId, name }) => (
              <ScreenLink to="/apps/$clientId" params={{ clientId }} dir="auto">
                {name}
              </ScreenLink>
            ),
          },
          { title: t('apps.kind'), cell: ({ kind }) => t(`apps.${kind}`) },
          { title: t('apps.state'), cell: ({ status }) => t(`apps.${status}`) },
          { title: t('apps.operations'), cell: ({ scopes }) => scopes.length },
        ]}
      />
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/apps?limit=50` }} operation="apps:manage" />
    </Screen>
  );
}
