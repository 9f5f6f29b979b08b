import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf, path } from '../api/client.ts';

const foundQuery = (beginning: string) => ({
  queryKey: ['people', 'found', beginning],
  queryFn: () =>
    dataOf(
      api.GET('/o/{shortId}/api/admin/users', {
        params: { path, query: { limit: 20, ...(beginning !== '' && { q: beginning }) } },
      }),
    ),
  placeholderData: keepPreviousData,
});

/** Finds a person by the beginning of a name or an e-mail address. @param onChoose gets the id of the person */
export function PersonPicker({ label, onChoose }: { label: string; onChoose: (user: string) => void }) {
  const { t } = useTranslation();
  const [input, setInput] = useState('');
  const [beginning] = useDebouncedValue(input.trim().split(' ·')[0]!, 300);
  const { data } = useQuery(foundQuery(beginning));
  const people = data?.items ?? [];
  return (
    <Autocomplete
      label={label}
      placeholder={t('people.find')}
      value={input}
      maxLength={100}
      filter={({ options }) => options}
      data={people.map(({ name, email }) => `${name} · ${email}`)}
      onChange={setInput}
      onOptionSubmit={(option) => {
        const chosen = people.find(({ name, email }) => `${name} · ${email}` === option);
        if (chosen) onChoose(chosen.id);
        setInput('');
      }}
    />
  );
}
