import { Alert, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { ScreenLink } from '../parts/link.tsx';

/** On the colour of an alert, that of links has too little contrast. */
const inAlert = { c: 'inherit', underline: 'always' } as const;

/** What somebody should look at: each with a link. Nothing when all is well. */
export function Attention() {
  const { t } = useTranslation();
  const { may } = useMe();
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/webhooks/endpoints', { params: { path } })),
    enabled: may('webhooks:manage'),
  });
  const destinations = useQuery({
    queryKey: ['destinations'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/audit/destinations', { params: { path } })),
    enabled: may('audit:export'),
  });
  const requests = useQuery({
    queryKey: ['access-requests', 'waiting'],
    queryFn: () =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/access-requests', {
          params: { path, query: { status: 'pending', limit: 100 } },
        }),
      ),
    enabled: may('access_requests:approve'),
  });
  const failing = webhooks.data?.items.filter(({ state, lastError }) => state === 'disabled' || lastError) ?? [];
  const behind = destinations.data?.items.filter(({ state, lastError }) => state === 'active' && lastError) ?? [];
  const waiting = requests.data?.items.length ?? 0;
  if (failing.length + behind.length + waiting === 0) return undefined;
  return (
    <Alert color="yellow" title={t('overview.attention')}>
      <List size="sm">
        {failing.map(({ id, url }) => (
          <List.Item key={id}>
            <ScreenLink to="/webhooks/$id" params={{ id }} search={{}} {...inAlert}>
              {t('overview.failingWebhook', { host: new URL(url).host })}
            </ScreenLink>
          </List.Item>
        ))}
        {behind.length > 0 && (
          <List.Item>
            <ScreenLink to="/destinations" {...inAlert}>
              {t('overview.failingDestinations', { number: String(behind.length) })}
            </ScreenLink>
          </List.Item>
        )}
        {waiting > 0 && (
          <List.Item>
            <ScreenLink to="/access-requests" search={{}} {...inAlert}>
              {t('overview.waitingRequests', { number: String(waiting) })}
            </ScreenLink>
          </List.Item>
        )}
      </List>
    </Alert>
  );
}
