import { Group, NativeSelect, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { api, change, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { usePeopleNames } from '../api/people-names.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { reloadRequests, requestsQuery, type AccessRequest } from './access-queries.ts';
import { requestSearchOf, requestStatuses } from './access-search.ts';
import { useDuration } from './use-duration.ts';

/** Who requests access to which app; those who may decide do it here. */
export function AccessRequestsScreen() {
  const { t } = useTranslation();
  const { me, may } = useMe();
  const search = useSearch({ from: '/access-requests' });
  const navigate = useNavigate();
  const { nameOf } = useAppNames();
  const duration = useDuration();
  const requests = useInfiniteQuery(requestsQuery(search));
  const items = requests.data?.pages.flatMap((page) => page.items) ?? [];
  const names = usePeopleNames(items.map(({ user }) => user));
  const { status = 'pending' } = search;
  return (
    <Screen title={t('requests.title')} tabs={<AreaTabs of="/access-requests" />}>
      <NativeSelect
        label={t('requests.status')}
        maw={260}
        data={[
          ...requestStatuses.map((value) => ({ value, label: t(`requests.${value}`) })),
          { value: 'all', label: t('list.all') },
        ]}
        value={status}
        onChange={(event) =>
          void navigate({ to: '/access-requests', search: requestSearchOf({ status: event.currentTarget.value }) })
        }
      />
      <PagedTable<AccessRequest>
        query={requests}
        keyOf={({ id }) => id}
        none={<Text>{t('requests.none')}</Text>}
        columns={[
          {
            title: t('requests.who'),
            cell: ({ user }) => <span dir="auto">{names.get(user) ?? shortened(user)}</span>,
          },
          { title: t('requests.app'), cell: ({ app }) => <span dir="auto">{nameOf(app)}</span> },
          { title: t('requests.reason'), cell: ({ reason }) => <span dir="auto">{reason}</span> },
          {
            title: t('requests.duration'),
            cell: ({ durationSeconds, grantedSeconds }) => duration(grantedSeconds ?? durationSeconds),
          },
          { title: t('list.created'), cell: ({ createdAt }) => instant(createdAt) },
          {
            title: t('requests.status'),
            cell: (request) =>
              // Nobody decides about their own request.
              request.status === 'pending' && may('access_requests:approve') && request.user !== me.id ? (
                <Decision request={request} />
              ) : (
                t(`requests.${request.status}`)
              ),
          },
        ]}
      />
      <ViewAsApi
        call={{
          method: 'GET',
          path: `/o/${shortId}/api/admin/access-requests${status === 'all' ? '' : `?status=${status}`}`,
        }}
        operation="access_requests:read"
      />
    </Screen>
  );
}

function Decision({ request: { id } }: { request: AccessRequest }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" wrap="nowrap">
      <Action
        size="compact-sm"
        label={t('requests.approve')}
        run={() =>
          change({ approve: id }, (header) =>
            api.POST('/o/{shortId}/api/admin/access-requests/{id}/approve', {
              params: { path: { ...path, id }, header },
              body: {},
            }),
          )
        }
        onDone={reloadRequests}
      />
      <FormDialog
        size="compact-sm"
        label={t('requests.deny')}
        submit={t('requests.deny')}
        name={`deny-${id}`}
        initial={{ reason: '' }}
        fields={(form, issueOf) => (
          <Textarea
            label={t('requests.denyReason')}
            required
            maxLength={500}
            data-autofocus
            {...form.getInputProps('reason')}
            error={issueOf('reason')}
          />
        )}
        run={({ reason }) =>
          change({ deny: id, reason }, (header) =>
            api.POST('/o/{shortId}/api/admin/access-requests/{id}/deny', {
              params: { path: { ...path, id }, header },
              body: { reason: reason.trim() },
            }),
          )
        }
        onDone={reloadRequests}
      />
    </Group>
  );
}
