import { Alert, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { Facts } from '../parts/facts.tsx';
import { instant } from '../parts/format.ts';
import { ObjectId } from '../parts/object-id.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useKnown } from '../parts/use-known.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { EndpointMessages } from './endpoint-messages.tsx';
import { endpointQuery, newSigningSecretKey, reloadEndpoint, type WebhookEndpoint } from './webhook-queries.ts';

/** One endpoint: its health, its messages and their attempts. */
export function WebhookScreen() {
  const { t } = useTranslation();
  const { id } = useParams({ from: '/webhooks/$id' });
  const { data: endpoint } = useSuspenseQuery(endpointQuery(id));
  const secret = useKnown<string>(newSigningSecretKey(id));
  const { url, description, state, types, waiting, lastSuccessAt, lastError, createdAt } = endpoint;
  return (
    <Screen title={new URL(url).host} actions={<EndpointActions endpoint={endpoint} />}>
      {secret !== undefined && (
        <ShownOnce
          title={t('webhooks.secretOnce')}
          text={t('webhooks.secretOnceBody')}
          label={t('webhooks.secret')}
          value={secret}
        />
      )}
      {lastError && state !== 'paused' && (
        <Alert color="red" title={t('sending.failing', { at: instant(lastError.at) })}>
          <Text size="sm">{lastError.detail}</Text>
        </Alert>
      )}
      <Facts
        facts={{
          [t('webhooks.url')]: url,
          [t('webhooks.description')]: description,
          [t('list.state')]: t(`sending.${state}`),
          [t('webhooks.types')]: types?.join(', ') ?? t('list.all'),
          [t('sending.waiting')]: String(waiting),
          [t('sending.lastSuccess')]: lastSuccessAt && instant(lastSuccessAt),
          [t('list.created')]: instant(createdAt),
          ID: <ObjectId id={id} />,
        }}
      />
      <EndpointMessages endpoint={id} />
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/webhooks/endpoints/${id}` }}
        operation="webhooks:manage"
      />
    </Screen>
  );
}

function EndpointActions({ endpoint: { id, url, state } }: { endpoint: WebhookEndpoint }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const reload = () => reloadEndpoint(id);
  const params = { path: { ...path, id } };
  return (
    <>
      <Action
        label={t('sending.test')}
        run={() =>
          change({ test: id, at: Date.now() }, (header) =>
            api.POST('/o/{shortId}/api/admin/webhooks/endpoints/{id}/test', {
              params: { ...params, header },
              body: {},
            }),
          )
        }
        result={({ delivered, status, detail }) => ({
          isGood: delivered,
          text: delivered
            ? t('sending.testDelivered', { status: String(status ?? '') })
            : t('sending.testFailed', { detail: detail ?? String(status ?? '') }),
        })}
        onDone={reload}
      />
      {state === 'active' ? (
        <Action
          label={t('sending.pause')}
          run={() =>
            change({ pause: id }, (header) =>
              api.POST('/o/{shortId}/api/admin/webhooks/endpoints/{id}/pause', { params: { ...params, header } }),
            )
          }
          onDone={reload}
        />
      ) : (
        <Action
          label={t('sending.resume')}
          run={() =>
            change({ resume: id }, (header) =>
              api.POST('/o/{shortId}/api/admin/webhooks/endpoints/{id}/resume', {
                params: { ...params, header },
                body: { skip: false },
              }),
            )
          }
          onDone={reload}
        />
      )}
      <Action
        label={t('webhooks.rotate')}
        confirm={{ title: t('webhooks.rotateTitle'), text: t('webhooks.rotateBody') }}
        run={() =>
          change({ rotate: id, at: Date.now() }, (header) =>
            api.POST('/o/{shortId}/api/admin/webhooks/endpoints/{id}/secrets', { params: { ...params, header } }),
          )
        }
        onDone={({ secret }) => {
          queryClient.setQueryData(newSigningSecretKey(id), secret);
          return reload();
        }}
      />
      <Action
        label={t('webhooks.recover')}
        confirm={{ title: t('webhooks.recoverTitle'), text: t('webhooks.recoverBody') }}
        run={() => {
          const since = new Date(Date.now() - 86_400_000).toISOString();
          return change({ recover: id }, (header) =>
            api.POST('/o/{shortId}/api/admin/webhooks/endpoints/{id}/recover', {
              params: { ...params, header },
              body: { since, onlyFailed: true },
            }),
          );
        }}
        result={({ messages }) => ({ isGood: true, text: t('webhooks.recovered', { messages: String(messages) }) })}
        onDone={reload}
      />
      <Action
        isFinal
        label={t('webhooks.delete')}
        confirm={{
          title: t('webhooks.deleteTitle'),
          text: t('webhooks.deleteBody'),
          typed: { label: t('webhooks.deleteType'), text: new URL(url).host },
        }}
        run={() =>
          change({ deleteWebhook: id }, (header) =>
            api.DELETE('/o/{shortId}/api/admin/webhooks/endpoints/{id}', { params: { ...params, header } }),
          )
        }
        onDone={async () => {
          await navigate({ to: '/webhooks' });
          queryClient.removeQueries({ queryKey: ['webhook', id] });
          await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
        }}
      />
    </>
  );
}
