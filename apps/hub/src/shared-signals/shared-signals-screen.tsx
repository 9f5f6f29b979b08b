import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, dataOf, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ObjectId } from '../parts/object-id.tsx';
import { ObjectTable } from '../parts/object-table.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { pageOf, paging } from '../parts/pages.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { Section } from '../parts/section.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useKnown } from '../parts/use-known.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';

const receiversQuery = infiniteQueryOptions({
  queryKey: ['receivers'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/o/{shortId}/api/admin/ssf/receivers', { params: { path, query: pageOf(pageParam) } })),
  ...paging,
});
const streamsQuery = queryOptions({
  queryKey: ['streams'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/ssf/streams', { params: { path } })),
  refetchInterval: 10_000,
});
/** The client secret of a receiver that was just made. In the memory of this tab. */
const newReceiverSecretKey = ['new-receiver-secret'] as const;
const reload = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['receivers'] }),
    queryClient.invalidateQueries({ queryKey: ['streams'] }),
  ]);

/** Receivers of security events, and their streams. */
export function SharedSignalsScreen() {
  const { t } = useTranslation();
  const receivers = useInfiniteQuery(receiversQuery);
  const secret = useKnown<string>(newReceiverSecretKey);
  return (
    <Screen title={t('ssf.title')} tabs={<AreaTabs of="/shared-signals" />} actions={<NewReceiver />}>
      <Text>{t('ssf.body')}</Text>
      {secret !== undefined && (
        <ShownOnce title={t('app.secretOnce')} text={t('app.secretOnceBody')} label={t('app.secret')} value={secret} />
      )}
      <Section title={t('ssf.receivers')}>
        <PagedTable<Schemas['App']>
          query={receivers}
          keyOf={({ clientId }) => clientId}
          none={<Text size="sm">{t('ssf.noReceivers')}</Text>}
          columns={[
            { title: t('apps.name'), cell: ({ name }) => <span dir="auto">{name}</span> },
            { title: t('app.clientId'), cell: ({ clientId }) => <ObjectId id={clientId} /> },
            { title: t('ssf.about'), cell: ({ audience }) => t(`ssf.${audience}`) },
            { title: t('list.state'), cell: ({ status }) => t(`apps.${status}`) },
            { title: t('list.actions'), cell: (receiver) => <ReceiverActions of={receiver} /> },
          ]}
        />
      </Section>
      <Streams />
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/ssf/receivers` }} operation="ssf:manage" />
    </Screen>
  );
}

function Streams() {
  const { t } = useTranslation();
  const { data, error } = useQuery(streamsQuery);
  return (
    <Section title={t('ssf.streams')}>
      {error && <ProblemNotice error={error} />}
      {data?.items.length === 0 && <Text size="sm">{t('ssf.noStreams')}</Text>}
      {data && data.items.length > 0 && (
        <ObjectTable
          items={data.items}
          keyOf={({ id }) => id}
          columns={[
            { title: t('ssf.receiver'), cell: ({ receiver }) => <ObjectId id={receiver} /> },
            {
              title: t('ssf.method'),
              cell: ({ method, endpointUrl }) => (method === 'push' ? endpointUrl : t('ssf.poll')),
            },
            { title: t('list.state'), cell: ({ state }) => t(`sending.${state}`) },
            { title: t('sending.waiting'), cell: ({ waiting }) => waiting },
            { title: t('ssf.rejected'), cell: ({ rejected }) => rejected },
            { title: t('sending.lastError'), cell: ({ lastError }) => lastError?.detail ?? '–' },
            { title: t('list.actions'), cell: (stream) => <StreamActions of={stream} /> },
          ]}
        />
      )}
    </Section>
  );
}

function StreamActions({ of: { id, state } }: { of: Schemas['ManagedStream'] }) {
  const { t } = useTranslation();
  const send = (what: 'pause' | 'resume') =>
    change({ [what]: id }, (header) =>
      api.POST(`/o/{shortId}/api/admin/ssf/streams/{id}/${what}`, { params: { path: { ...path, id }, header } }),
    );
  return (
    <Group gap="xs" wrap="nowrap">
      {state === 'enabled' ? (
        <Action size="compact-sm" label={t('sending.pause')} run={() => send('pause')} onDone={reload} />
      ) : (
        <Action size="compact-sm" label={t('sending.resume')} run={() => send('resume')} onDone={reload} />
      )}
      <Action
        isFinal
        size="compact-sm"
        label={t('webhooks.delete')}
        confirm={{ title: t('ssf.deleteStreamTitle'), text: t('ssf.deleteStreamBody') }}
        run={() =>
          change({ deleteStream: id }, (header) =>
            api.DELETE('/o/{shortId}/api/admin/ssf/streams/{id}', { params: { path: { ...path, id }, header } }),
          )
        }
        onDone={reload}
      />
    </Group>
  );
}

function ReceiverActions({ of: { clientId, name, status } }: { of: Schemas['App'] }) {
  const { t } = useTranslation();
  const params = { path: { ...path, clientId } };
  const send = (what: 'disable' | 'enable') =>
    change({ [what]: clientId }, (header) =>
      api.POST(`/o/{shortId}/api/admin/ssf/receivers/{clientId}/${what}`, { params: { ...params, header } }),
    );
  return (
    <Group gap="xs" wrap="nowrap">
      {status === 'enabled' ? (
        <Action
          size="compact-sm"
          label={t('app.disable')}
          confirm={{ title: t('app.disableTitle', { name }), text: t('ssf.disableBody') }}
          run={() => send('disable')}
          onDone={reload}
        />
      ) : (
        <Action size="compact-sm" label={t('app.enable')} run={() => send('enable')} onDone={reload} />
      )}
      <Action
        isFinal
        size="compact-sm"
        label={t('app.delete')}
        confirm={{
          title: t('app.deleteTitle', { name }),
          text: t('ssf.deleteBody'),
          typed: { label: t('app.deleteType'), text: name },
        }}
        run={() =>
          change({ delete: clientId }, (header) =>
            api.DELETE('/o/{shortId}/api/admin/ssf/receivers/{clientId}', { params: { ...params, header } }),
          )
        }
        onDone={reload}
      />
    </Group>
  );
}

function NewReceiver() {
  const { t } = useTranslation();
  return (
    <FormDialog
      variant="filled"
      label={t('ssf.new')}
      submit={t('newApp.create')}
      name="new-receiver"
      initial={{ name: '', audience: 'customers' }}
      fields={(form, issueOf) => (
        <>
          <TextInput
            label={t('apps.name')}
            required
            data-autofocus
            maxLength={100}
            {...form.getInputProps('name')}
            error={issueOf('name')}
          />
          <NativeSelect
            label={t('ssf.about')}
            data={[
              { value: 'customers', label: t('ssf.customers') },
              { value: 'people', label: t('ssf.people') },
            ]}
            {...form.getInputProps('audience')}
          />
        </>
      )}
      run={({ name, audience }) => {
        const body = { name: name.trim(), audience: audience as 'customers' | 'people' };
        return change({ receiver: body }, (header) =>
          api.POST('/o/{shortId}/api/admin/ssf/receivers', { params: { path, header }, body }),
        );
      }}
      onDone={async ({ secret }) => {
        if (secret) queryClient.setQueryData(newReceiverSecretKey, secret.clientSecret);
        await reload();
      }}
    />
  );
}
