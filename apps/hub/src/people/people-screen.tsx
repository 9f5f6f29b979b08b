import { Button, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { peopleQuery, type Person } from './people-queries.ts';

/** The people of the organization, found by the beginning of a name or an e-mail address. */
export function PeopleScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const navigate = useNavigate();
  const [input, setInput] = useState('');
  const [beginning] = useDebouncedValue(input.trim(), 300);
  const people = useInfiniteQuery({ ...peopleQuery(beginning), placeholderData: keepPreviousData });
  return (
    <Screen
      title={t('people.title')}
      tabs={<AreaTabs of="/people" />}
      actions={
        may('users:manage') && (
          <Button onClick={() => void navigate({ to: '/people/invite' })}>{t('people.invite')}</Button>
        )
      }
    >
      <TextInput
        label={t('people.find')}
        maw={420}
        maxLength={100}
        value={input}
        onChange={(event) => setInput(event.currentTarget.value)}
      />
      <PagedTable<Person>
        query={people}
        keyOf={({ id }) => id}
        none={<Text>{t('people.none')}</Text>}
        columns={[
          {
            title: t('people.name'),
            cell: ({ id, name }) => (
              <ScreenLink to="/people/$user" params={{ user: id }} dir="auto">
                {name}
              </ScreenLink>
            ),
          },
          { title: t('people.email'), cell: ({ email }) => email },
          { title: t('people.roles'), cell: ({ roles }) => roles.map((role) => t(`role.${role}`)).join(', ') },
          { title: t('people.state'), cell: ({ status }) => t(`people.${status}`) },
          {
            title: t('people.lastSignIn'),
            cell: ({ lastSignInAt }) => (lastSignInAt === undefined ? t('people.never') : instant(lastSignInAt)),
          },
        ]}
      />
      <ViewAsApi
        call={{
          method: 'GET',
          path: `/o/${shortId}/api/admin/users${beginning === '' ? '' : `?q=${encodeURIComponent(beginning)}`}`,
        }}
        operation="users:read"
      />
    </Screen>
  );
}
