import { Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { signOut } from '../api/sign-out.ts';
import { Action } from '../parts/action.tsx';
import { instant } from '../parts/format.ts';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';

const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users/me/sessions', { params: { path } })),
});
/** An ended session is refused within a second: then it shows whether it was that of this browser. */
const refusedMs = 1500;

async function reload(): Promise<void> {
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: ['me'] }), refusedMs);
  await queryClient.invalidateQueries({ queryKey: ['own-sessions'] });
}

/** Where the person is signed in, and the ends of these sessions. */
export function AccountSessions() {
  const { t } = useTranslation();
  const { data, error } = useQuery(ownSessionsQuery);
  return (
    <Section
      title={t('sessions.title')}
      text={t('sessions.body')}
      actions={
        <Action
          label={t('sessions.endAll')}
          confirm={{ title: t('sessions.endAll'), text: t('sessions.endAllBody') }}
          run={() => dataOf(api.DELETE('/o/{shortId}/api/admin/users/me/sessions', { params: { path } }))}
          onDone={signOut}
        />
      }
    >
      {error && <ProblemNotice error={error} />}
      {data?.items.length === 0 && <Text size="sm">{t('sessions.none')}</Text>}
      {data && data.items.length > 0 && (
        <ObjectTable<Schemas['PersonSession']>
          items={data.items}
          keyOf={({ id }) => id}
          columns={[
            { title: t('sessions.where'), cell: ({ browser }) => t(browser ? 'sessions.browser' : 'sessions.app') },
            {
              title: t('sessions.apps'),
              cell: ({ apps }) => <span dir="auto">{apps.map(({ name }) => name).join(', ') || '–'}</span>,
            },
            { title: t('sessions.signedIn'), cell: ({ signedInAt }) => instant(signedInAt) },
            { title: t('sessions.ends'), cell: ({ expiresAt }) => instant(expiresAt) },
            { title: t('list.actions'), cell: ({ id }) => <EndSession id={id} /> },
          ]}
        />
      )}
    </Section>
  );
}

function EndSession({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <Action
      size="compact-sm"
      label={t('sessions.end')}
      run={() =>
        dataOf(
          api.DELETE('/o/{shortId}/api/admin/users/me/sessions/{session}', {
            params: { path: { ...path, session: id } },
          }),
        )
      }
      onDone={reload}
    />
  );
}
