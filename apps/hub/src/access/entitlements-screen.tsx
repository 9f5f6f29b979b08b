import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { usePeopleNames } from '../api/people-names.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { ScreenLink } from '../parts/link.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { PersonPicker } from '../parts/person-picker.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { entitlementsQuery, type Entitlement } from './access-queries.ts';
import { entitlementSearchOf } from './access-search.ts';

/** Who reaches which app, and why. */
export function EntitlementsScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const search = useSearch({ from: '/entitlements' });
  const navigate = useNavigate();
  const { apps, nameOf } = useAppNames();
  const entitlements = useInfiniteQuery(entitlementsQuery(search));
  const items = entitlements.data?.pages.flatMap((page) => page.items) ?? [];
  const names = usePeopleNames([...items.map(({ user }) => user), ...(search.user === undefined ? [] : [search.user])]);
  const show = (changed: object) =>
    void navigate({ to: '/entitlements', search: entitlementSearchOf({ ...search, ...changed }) });
  const query = new URLSearchParams({ ...search }).toString();
  return (
    <Screen title={t('entitlements.title')} tabs={<AreaTabs of="/entitlements" />}>
      <Group align="flex-end">
        <NativeSelect
          label={t('requests.app')}
          data={[{ value: '', label: t('list.all') }, ...apps.map((app) => ({ value: app.clientId, label: app.name }))]}
          value={search.app ?? ''}
          onChange={(event) => show({ app: event.currentTarget.value })}
        />
        {search.user === undefined ? (
          <PersonPicker label={t('entitlements.person')} onChoose={(user) => show({ user })} />
        ) : (
          <Button variant="default" onClick={() => show({ user: '' })}>
            {t('entitlements.only', { name: names.get(search.user) ?? shortened(search.user) })}
          </Button>
        )}
      </Group>
      <PagedTable<Entitlement>
        query={entitlements}
        keyOf={({ user, app, path, assignment, accessRequest, group }) =>
          [user, app, path, assignment, accessRequest, group].join()
        }
        none={<Text>{t('entitlements.none')}</Text>}
        columns={[
          {
            title: t('requests.who'),
            cell: ({ user }) => (
              <ScreenLink to="/people/$user" params={{ user }} dir="auto">
                {names.get(user) ?? shortened(user)}
              </ScreenLink>
            ),
          },
          { title: t('requests.app'), cell: ({ app }) => <span dir="auto">{nameOf(app)}</span> },
          {
            title: t('entitlements.why'),
            cell: ({ path, group }) =>
              group !== undefined && may('groups:manage') ? (
                <ScreenLink to="/groups/$group" params={{ group }}>
                  {t(`entitlements.${path}`)}
                </ScreenLink>
              ) : (
                t(`entitlements.${path}`)
              ),
          },
          { title: t('entitlements.since'), cell: ({ since }) => instant(since) },
          {
            title: t('entitlements.until'),
            cell: ({ expiresAt }) => (expiresAt === undefined ? '–' : instant(expiresAt)),
          },
        ]}
      />
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/entitlements${query && `?${query}`}` }}
        operation="entitlements:view"
      />
    </Screen>
  );
}
