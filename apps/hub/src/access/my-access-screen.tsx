import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { myRequestsQuery, reloadRequests, type AccessRequest } from './access-queries.ts';
import { useDuration } from './use-duration.ts';

const durations = ['28800', '86400', '604800', '2592000'] as const;

/** The access requests of the person who is signed in. */
export function MyAccessScreen() {
  const { t } = useTranslation();
  const { apps, nameOf } = useAppNames();
  const duration = useDuration();
  const requests = useInfiniteQuery(myRequestsQuery);
  const choices = apps.filter(({ kind }) => kind !== 'service' && kind !== 'receiver');
  return (
    <Screen
      title={t('myAccess.title')}
      tabs={<AreaTabs of="/my-access" />}
      actions={
        choices.length > 0 && (
          <FormDialog
            variant="filled"
            label={t('myAccess.request')}
            submit={t('myAccess.send')}
            name="access-request"
            initial={{ app: choices[0]!.clientId, reason: '', durationSeconds: '28800' }}
            fields={(form, issueOf) => (
              <>
                <NativeSelect
                  label={t('requests.app')}
                  data={choices.map(({ clientId, name }) => ({ value: clientId, label: name }))}
                  {...form.getInputProps('app')}
                  error={issueOf('app')}
                />
                <NativeSelect
                  label={t('requests.duration')}
                  data={durations.map((value) => ({ value, label: duration(Number(value)) }))}
                  {...form.getInputProps('durationSeconds')}
                  error={issueOf('durationSeconds')}
                />
                <Textarea
                  label={t('requests.reason')}
                  required
                  maxLength={500}
                  {...form.getInputProps('reason')}
                  error={issueOf('reason')}
                />
              </>
            )}
            run={({ app, reason, durationSeconds }) => {
              const body = { app, reason: reason.trim(), durationSeconds: Number(durationSeconds) };
              return change({ request: body }, (header) =>
                api.POST('/o/{shortId}/api/admin/access-requests', { params: { path, header }, body }),
              );
            }}
            onDone={reloadRequests}
          />
        )
      }
    >
      <PagedTable<AccessRequest>
        query={requests}
        keyOf={({ id }) => id}
        none={<Text>{t('myAccess.none')}</Text>}
        columns={[
          { title: t('requests.app'), cell: ({ app }) => <span dir="auto">{nameOf(app)}</span> },
          { title: t('requests.reason'), cell: ({ reason }) => <span dir="auto">{reason}</span> },
          {
            title: t('requests.duration'),
            cell: ({ durationSeconds, grantedSeconds }) => duration(grantedSeconds ?? durationSeconds),
          },
          { title: t('list.created'), cell: ({ createdAt }) => instant(createdAt) },
          {
            title: t('requests.status'),
            cell: ({ id, status, decisionReason }) =>
              status === 'pending' ? (
                <Action
                  size="compact-sm"
                  label={t('myAccess.withdraw')}
                  run={() =>
                    change({ withdrawRequest: id }, (header) =>
                      api.POST('/o/{shortId}/api/admin/access-requests/{id}/withdraw', {
                        params: { path: { ...path, id }, header },
                      }),
                    )
                  }
                  onDone={reloadRequests}
                />
              ) : (
                <span dir="auto">
                  {t(`requests.${status}`)}
                  {decisionReason === undefined ? '' : `: ${decisionReason}`}
                </span>
              ),
          },
        ]}
      />
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/access-requests/mine` }}
        operation="account:manage"
      />
    </Screen>
  );
}
