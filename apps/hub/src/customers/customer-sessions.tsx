import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { Action } from '../parts/action.tsx';
import { instant } from '../parts/format.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';
import { reloadCustomer, sessionsQuery } from './customer-queries.ts';

/** Where the customer is signed in. */
export function CustomerSessions({ subject }: { subject: string }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const { data, error } = useQuery(sessionsQuery(subject));
  const sessions = data?.items ?? [];
  return (
    <Section
      title={t('customer.sessions')}
      actions={
        may('customers:support') &&
        sessions.length > 0 && (
          <Action
            size="compact-sm"
            label={t('customer.signOut')}
            confirm={{ title: t('customer.signOutTitle'), text: t('customer.signOutBody') }}
            run={() =>
              dataOf(
                api.DELETE('/o/{shortId}/api/credentials/subjects/{subject}/sessions', {
                  params: { path: { ...path, subject } },
                }),
              )
            }
            onDone={() => reloadCustomer(subject)}
          />
        )
      }
    >
      {error && <ProblemNotice error={error} />}
      {data && sessions.length === 0 && <Text size="sm">{t('customer.noSessions')}</Text>}
      <List size="sm">
        {sessions.map(({ id, signedInAt, apps, browser }) => (
          <List.Item key={id}>
            {apps.map(({ name }) => name).join(', ')}
            {apps.length > 0 && ' · '}
            {t(browser ? 'customer.inBrowser' : 'customer.inApp', { at: instant(signedInAt) })}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
