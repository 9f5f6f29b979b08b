import { MultiSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { TableSkeleton } from '../parts/table-skeleton.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { endpointsQuery, eventTypesQuery, newSigningSecretKey, reloadEndpoint } from './webhook-queries.ts';

/** The endpoints to which events are sent, and whether they arrive. */
export function WebhooksScreen() {
  const { t } = useTranslation();
  const { data, error, isPending } = useQuery(endpointsQuery);
  return (
    <Screen title={t('webhooks.title')} tabs={<AreaTabs of="/webhooks" />} actions={<NewEndpoint />}>
      {error && <ProblemNotice error={error} />}
      {isPending && <TableSkeleton columns={5} />}
      {data?.items.length === 0 && <Text>{t('webhooks.none')}</Text>}
      {data && data.items.length > 0 && (
        <ObjectTable
          items={data.items}
          keyOf={({ id }) => id}
          columns={[
            {
              title: t('webhooks.url'),
              cell: ({ id, url }) => (
                <ScreenLink to="/webhooks/$id" params={{ id }} search={{}}>
                  {url}
                </ScreenLink>
              ),
            },
            { title: t('webhooks.description'), cell: ({ description }) => <span dir="auto">{description}</span> },
            { title: t('list.state'), cell: ({ state }) => t(`sending.${state}`) },
            { title: t('sending.waiting'), cell: ({ waiting }) => waiting },
            {
              title: t('sending.lastSuccess'),
              cell: ({ lastSuccessAt }) => (lastSuccessAt === undefined ? '–' : instant(lastSuccessAt)),
            },
          ]}
        />
      )}
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/webhooks/endpoints` }}
        operation="webhooks:manage"
      />
    </Screen>
  );
}

function NewEndpoint() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data } = useQuery(eventTypesQuery);
  return (
    <FormDialog
      variant="filled"
      label={t('webhooks.new')}
      submit={t('webhooks.create')}
      name="new-webhook"
      initial={{ url: '', description: '', types: [] as string[] }}
      fields={(form, issueOf) => (
        <>
          <TextInput
            label={t('webhooks.url')}
            description={t('webhooks.urlBody')}
            type="url"
            required
            data-autofocus
            maxLength={2000}
            {...form.getInputProps('url')}
            error={issueOf('url')}
          />
          <TextInput
            label={t('webhooks.description')}
            maxLength={200}
            {...form.getInputProps('description')}
            error={issueOf('description')}
          />
          <MultiSelect
            label={t('webhooks.types')}
            description={t('webhooks.typesBody')}
            searchable
            data={data?.items.map(({ type }) => type) ?? []}
            {...form.getInputProps('types')}
            error={issueOf('types')}
          />
        </>
      )}
      run={({ url, description, types }) => {
        const body: Schemas['NewWebhookEndpoint'] = {
          url: url.trim(),
          ...(description.trim() !== '' && { description: description.trim() }),
          ...(types.length > 0 && { types: types as Schemas['WebhookEventType']['type'][] }),
        };
        return change({ webhook: body }, (header) =>
          api.POST('/o/{shortId}/api/admin/webhooks/endpoints', { params: { path, header }, body }),
        );
      }}
      onDone={async ({ id, secret }) => {
        queryClient.setQueryData(newSigningSecretKey(id), secret);
        await reloadEndpoint(id);
        await navigate({ to: '/webhooks/$id', params: { id }, search: {} });
      }}
    />
  );
}
