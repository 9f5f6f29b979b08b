import { Alert, Button, List } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { draftOf } from '../parts/draft.ts';
import { ScreenLink } from '../parts/link.tsx';

const hidden = draftOf(localStorage, `first-steps:${shortId}`, { isHidden: false });

/** What an owner does on the first day, until all of it is done. */
export function FirstSteps() {
  const { may } = useMe();
  const [isHidden, setHidden] = useState(() => hidden.read().isHidden);
  if (isHidden || !may('organization:manage')) return undefined;
  const hide = () => {
    hidden.store({ isHidden: true });
    setHidden(true);
  };
  return <Steps onHide={hide} />;
}

function Steps({ onHide }: { onHide: () => void }) {
  const { t } = useTranslation();
  const [apps, customers, claimed, people, passkeys] = useQueries({ queries: steps });
  if (!apps.data || !customers.data || !claimed.data || !people.data || !passkeys.data) return undefined;
  const owners = people.data.items.filter(({ roles }) => roles.includes('owner'));
  const all = [
    { text: 'firstSteps.app', to: '/apps/new', isDone: apps.data.items.some(({ builtIn }) => !builtIn) },
    { text: 'firstSteps.offer', to: '/customers/new', isDone: customers.data.items.length > 0 },
    { text: 'firstSteps.claim', to: '/customers', isDone: claimed.data.items.length > 0 },
    { text: 'firstSteps.owner', to: '/people/invite', isDone: owners.length > 1 },
    { text: 'firstSteps.passkey', to: '/account', isDone: passkeys.data.items.length > 1 },
  ] as const;
  const areDone = all.every(({ isDone }) => isDone);
  if (areDone) return <Done onDone={onHide} />;
  return (
    <Alert color="blue" title={t('firstSteps.title')}>
      <List size="sm" type="ordered">
        {all.map(({ text, to, isDone }) => (
          <List.Item key={text}>
            {isDone ? (
              t(text)
            ) : (
              <ScreenLink to={to} c="inherit" underline="always">
                {t(text)}
              </ScreenLink>
            )}
            {isDone ? ` ✓ ${t('firstSteps.done')}` : ` – ${t('firstSteps.open')}`}
          </List.Item>
        ))}
      </List>
      <Button variant="default" size="compact-sm" mt="sm" onClick={onHide}>
        {t('firstSteps.hide')}
      </Button>
    </Alert>
  );
}

/** From then on this browser does not read them any more. */
function Done({ onDone }: { onDone: () => void }) {
  useEffect(onDone, []);
  return undefined;
}

/** They change rarely, and each read is an entry of the audit log. */
const staleTime = 60_000;
const steps = [
  {
    queryKey: ['first-steps', 'apps'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/apps', { params: { path, query: { limit: 5 } } })),
    staleTime,
  },
  {
    queryKey: ['first-steps', 'customers'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/credentials/subjects', { params: { path, query: { limit: 1 } } })),
    staleTime,
  },
  {
    queryKey: ['first-steps', 'claimed'],
    queryFn: () =>
      dataOf(
        api.GET('/o/{shortId}/api/credentials/subjects', { params: { path, query: { limit: 1, claimed: 'true' } } }),
      ),
    staleTime,
  },
  {
    queryKey: ['first-steps', 'people'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users', { params: { path, query: { limit: 100 } } })),
    staleTime,
  },
  {
    queryKey: ['own-passkeys'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users/me/passkeys', { params: { path } })),
    staleTime,
  },
] as const;
