import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { instant } from '../parts/format.ts';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { TableSkeleton } from '../parts/table-skeleton.tsx';
import { useKnown } from '../parts/use-known.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import {
  destinationsQuery,
  newDestinationSecretKey,
  reloadDestinations,
  type AuditDestination,
} from './export-queries.ts';
import { NewDestination } from './new-destination.tsx';

/** Where the audit log is sent as it grows, and how far behind each is. */
export function DestinationsScreen() {
  const { t } = useTranslation();
  const { data, error, isPending } = useQuery(destinationsQuery);
  const secret = useKnown<string>(newDestinationSecretKey);
  return (
    <Screen title={t('destinations.title')} tabs={<AreaTabs of="/destinations" />} actions={<NewDestination />}>
      {secret !== undefined && (
        <ShownOnce
          title={t('webhooks.secretOnce')}
          text={t('webhooks.secretOnceBody')}
          label={t('webhooks.secret')}
          value={secret}
        />
      )}
      {error && <ProblemNotice error={error} />}
      {isPending && <TableSkeleton columns={5} />}
      {data?.items.length === 0 && <Text>{t('destinations.none')}</Text>}
      {data && data.items.length > 0 && (
        <ObjectTable
          items={data.items}
          keyOf={({ id }) => id}
          columns={[
            {
              title: t('destinations.to'),
              cell: ({ kind, settings, description }) => (
                <Stack gap={0}>
                  <span>{addressOf(settings)}</span>
                  <Text size="xs" c="dimmed" dir="auto">
                    {[t(`destinations.${kind}`), description].filter(Boolean).join(' · ')}
                  </Text>
                </Stack>
              ),
            },
            { title: t('list.state'), cell: ({ state }) => t(`sending.${state}`) },
            {
              title: t('destinations.lag'),
              cell: ({ lag }) =>
                t('destinations.behind', { entries: String(lag.entries), seconds: String(Math.round(lag.seconds)) }),
            },
            {
              title: t('sending.lastSuccess'),
              cell: ({ lastSuccessAt }) => (lastSuccessAt === undefined ? '–' : instant(lastSuccessAt)),
            },
            {
              title: t('sending.lastError'),
              cell: ({ lastError }) => (lastError === undefined ? '–' : lastError.detail),
            },
            { title: t('list.actions'), cell: (destination) => <DestinationActions of={destination} /> },
          ]}
        />
      )}
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/audit/destinations` }}
        operation="audit:export"
      />
    </Screen>
  );
}

function addressOf(settings: object): string {
  const { url, host } = settings as { url?: string; host?: string };
  return url ?? host ?? '–';
}

function DestinationActions({ of: { id, state, kind } }: { of: AuditDestination }) {
  const { t } = useTranslation();
  const send = (what: 'pause' | 'resume') =>
    change({ [what]: id }, (header) =>
      api.POST(`/o/{shortId}/api/admin/audit/destinations/{id}/${what}`, { params: { path: { ...path, id }, header } }),
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <Action
        size="compact-sm"
        label={t('sending.test')}
        run={() =>
          change({ test: id, at: Date.now() }, (header) =>
            api.POST('/o/{shortId}/api/admin/audit/destinations/{id}/test', {
              params: { path: { ...path, id }, header },
            }),
          )
        }
        result={({ delivered, detail }) => ({
          isGood: delivered,
          text: delivered ? t('sending.testArrived') : t('sending.testFailed', { detail: detail ?? '' }),
        })}
      />
      {state === 'active' ? (
        <Action size="compact-sm" label={t('sending.pause')} run={() => send('pause')} onDone={reloadDestinations} />
      ) : (
        <Action size="compact-sm" label={t('sending.resume')} run={() => send('resume')} onDone={reloadDestinations} />
      )}
      {kind === 'https' && (
        <Action
          size="compact-sm"
          label={t('webhooks.rotate')}
          confirm={{ title: t('webhooks.rotateTitle'), text: t('webhooks.rotateBody') }}
          run={() =>
            change({ rotateDestination: id, at: Date.now() }, (header) =>
              api.POST('/o/{shortId}/api/admin/audit/destinations/{id}/rotate-secret', {
                params: { path: { ...path, id }, header },
              }),
            )
          }
          onDone={({ secret }) => queryClient.setQueryData(newDestinationSecretKey, secret)}
        />
      )}
      <Action
        isFinal
        size="compact-sm"
        label={t('webhooks.delete')}
        confirm={{ title: t('destinations.deleteTitle'), text: t('destinations.deleteBody') }}
        run={() =>
          change({ deleteDestination: id }, (header) =>
            api.DELETE('/o/{shortId}/api/admin/audit/destinations/{id}', {
              params: { path: { ...path, id }, header },
            }),
          )
        }
        onDone={reloadDestinations}
      />
    </Group>
  );
}
