import { Button, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { peopleQuery } from './people-queries.ts';

const columns = ['name', 'email', 'roles', 'state', 'lastSignIn'] as const;

/** The people of the organization, found by the beginning of a name or an e-mail address. */
export function PeopleScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const navigate = useNavigate();
  const [input, setInput] = useState('');
  const [beginning] = useDebouncedValue(input.trim(), 300);
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...peopleQuery(beginning),
    placeholderData: keepPreviousData,
  });
  const people = data?.pages.flatMap(({ items }) => items);
  return (
    <Screen
      title={t('people.title')}
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
      {error && <ProblemNotice error={error} />}
      {people?.length === 0 && <Text>{t('people.none')}</Text>}
      {people !== undefined && people.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column}>{t(`people.${column}`)}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {people.map(({ id, name, email, roles, status, lastSignInAt }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <ScreenLink to="/people/$user" params={{ user: id }} dir="auto">
                      {name}
                    </ScreenLink>
                  </Table.Td>
                  <Table.Td>{email}</Table.Td>
                  <Table.Td>{roles.map((role) => t(`role.${role}`)).join(', ')}</Table.Td>
                  <Table.Td>{t(`people.${status}`)}</Table.Td>
                  <Table.Td>{lastSignInAt === undefined ? t('people.never') : instant(lastSignInAt)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('people.more')}
        </Button>
      )}
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
