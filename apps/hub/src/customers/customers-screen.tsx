import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { ScreenLink } from '../parts/link.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { customersQuery, parametersOf, type CustomerSummary } from './customer-queries.ts';
import { customerSearchOf } from './customer-search.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The customers of every app, newest first. Filters are in the address. */
export function CustomersScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const { apps, nameOf } = useAppNames();
  const search = useSearch({ from: '/customers' });
  const navigate = useNavigate();
  const customers = useInfiniteQuery({ ...customersQuery(search), placeholderData: keepPreviousData });
  const show = (changed: object) =>
    void navigate({ to: '/customers', search: (before) => customerSearchOf({ ...before, ...changed }), replace: true });
  const query = new URLSearchParams(parametersOf(search)).toString();
  return (
    <Screen
      title={t('customers.title')}
      actions={
        may('offers:write') && (
          <Button onClick={() => void navigate({ to: '/customers/new' })}>{t('customers.newOffer')}</Button>
        )
      }
    >
      <Group align="flex-end">
        <NativeSelect
          label={t('customers.app')}
          data={[{ value: '', label: t('list.all') }, ...apps.map((app) => ({ value: app.clientId, label: app.name }))]}
          value={search.app ?? ''}
          onChange={(event) => show({ app: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('customers.claimed')}
          data={[
            { value: '', label: t('list.all') },
            { value: 'true', label: t('list.yes') },
            { value: 'false', label: t('list.no') },
          ]}
          value={parametersOf(search).claimed ?? ''}
          onChange={({ currentTarget: { value } }) => show({ claimed: value === '' ? undefined : value === 'true' })}
        />
        <FindCustomer />
      </Group>
      <PagedTable<CustomerSummary>
        query={customers}
        keyOf={({ subject }) => subject}
        none={
          <Stack gap="xs">
            <Text>{t('customers.none')}</Text>
            <Text size="sm">{t('customers.noneBody')}</Text>
          </Stack>
        }
        columns={[
          {
            title: t('customers.customer'),
            cell: ({ subject }) => (
              <ScreenLink to="/customers/$subject" params={{ subject }} title={subject}>
                {shortened(subject)}
              </ScreenLink>
            ),
          },
          { title: t('customers.app'), cell: ({ app }) => <span dir="auto">{nameOf(app!)}</span> },
          { title: t('customers.state'), cell: (customer) => t(`customers.${stateOf(customer)}`) },
          { title: t('customers.credentials'), cell: ({ credentials }) => credentials },
          {
            title: t('customers.lastIssued'),
            cell: ({ lastIssuedAt }) => (lastIssuedAt === undefined ? '–' : instant(lastIssuedAt)),
          },
          { title: t('customers.since'), cell: ({ createdAt }) => instant(createdAt) },
        ]}
      />
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/credentials/subjects${query && `?${query}`}` }}
        operation="issued:read"
      />
    </Screen>
  );
}

/** In words of one column: what it means for a sign-in. */
function stateOf({ live, openOffers, claimed }: CustomerSummary) {
  if (live > 0) return 'live';
  if (openOffers > 0) return 'waiting';
  return claimed ? 'notLive' : 'unclaimed';
}

/** Opens a customer by the whole ID, as an app stores it. */
function FindCustomer() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [input, setInput] = useState('');
  const [isWrong, setWrong] = useState(false);
  const find = () => {
    const subject = input.trim().toLowerCase();
    setWrong(!uuid.test(subject));
    if (uuid.test(subject)) void navigate({ to: '/customers/$subject', params: { subject } });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        find();
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label={t('customers.find')}
          value={input}
          maxLength={100}
          onChange={(event) => setInput(event.currentTarget.value)}
          error={isWrong && t('customers.notAnId')}
        />
        <Button type="submit" variant="default">
          {t('customers.open')}
        </Button>
      </Group>
    </form>
  );
}
