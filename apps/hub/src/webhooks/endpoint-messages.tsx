import { List, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { instant } from '../parts/format.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';
import classes from './endpoint-messages.module.css';
import { messageSearchOf, messageStatuses } from './message-search.ts';
import { attemptsQuery, messagesQuery, reloadEndpoint, type WebhookMessage } from './webhook-queries.ts';

/** What was sent to an endpoint, as it happens; each with its attempts. */
export function EndpointMessages({ endpoint }: { endpoint: string }) {
  const { t } = useTranslation();
  const search = useSearch({ from: '/webhooks/$id' });
  const navigate = useNavigate();
  const messages = useInfiniteQuery(messagesQuery(endpoint, search));
  const [open, setOpen] = useState<string>();
  const deliveryOf = ({ deliveries }: WebhookMessage) => deliveries.find((one) => one.endpoint === endpoint);
  return (
    <Section
      title={t('messages.title')}
      actions={
        <NativeSelect
          aria-label={t('list.state')}
          data={[
            { value: '', label: t('list.all') },
            ...messageStatuses.map((value) => ({ value, label: t(`messages.${value}`) })),
          ]}
          value={search.status ?? ''}
          onChange={(event) =>
            void navigate({
              to: '/webhooks/$id',
              params: { id: endpoint },
              search: messageSearchOf({ status: event.currentTarget.value }),
              replace: true,
            })
          }
        />
      }
    >
      <PagedTable<WebhookMessage>
        query={messages}
        keyOf={({ id }) => id}
        none={<Text size="sm">{t('messages.none')}</Text>}
        columns={[
          { title: t('auditLog.time'), cell: ({ occurredAt }) => instant(occurredAt) },
          {
            title: t('messages.type'),
            cell: ({ id, type }) => (
              <button type="button" className={classes.open} onClick={() => setOpen(id)}>
                {type}
              </button>
            ),
          },
          {
            title: t('list.state'),
            cell: (message) => {
              const delivery = deliveryOf(message);
              return delivery ? t(`messages.${delivery.status}`) : '–';
            },
          },
          { title: t('messages.attempts'), cell: (message) => deliveryOf(message)?.attempts ?? 0 },
          {
            title: t('list.actions'),
            cell: ({ id }) => (
              <Action
                size="compact-sm"
                label={t('messages.resend')}
                run={() =>
                  change({ resend: id, at: Date.now() }, (header) =>
                    api.POST('/o/{shortId}/api/admin/webhooks/messages/{id}/resend', {
                      params: { path: { ...path, id }, header },
                      body: { endpoint },
                    }),
                  )
                }
                onDone={() => reloadEndpoint(endpoint)}
              />
            ),
          },
        ]}
      />
      <Dialog opened={open !== undefined} onClose={() => setOpen(undefined)} title={t('messages.attempts')}>
        {open !== undefined && <Attempts message={open} endpoint={endpoint} />}
      </Dialog>
    </Section>
  );
}

function Attempts({ message, endpoint }: { message: string; endpoint: string }) {
  const { t } = useTranslation();
  const { data, error } = useQuery(attemptsQuery(message));
  const history = data?.deliveries.find((one) => one.endpoint === endpoint)?.history;
  return (
    <>
      {error && <ProblemNotice error={error} />}
      {history?.length === 0 && <Text size="sm">{t('messages.noAttempts')}</Text>}
      <List size="sm" type="ordered">
        {history?.map(({ at, status, latencyMs, error: failure, response }) => (
          <List.Item key={at}>
            {instant(at)} · {status ?? failure} · {latencyMs} ms
            {response !== undefined && response !== '' && <Text size="xs">{response}</Text>}
          </List.Item>
        ))}
      </List>
    </>
  );
}
