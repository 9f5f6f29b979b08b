import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { retentionOf } from '@holdfast/contracts';
import { useMe } from '../api/me.ts';
import { usePeopleNames } from '../api/people-names.ts';
import { Choice } from '../parts/choice.tsx';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { ScreenLink } from '../parts/link.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Section } from '../parts/section.tsx';
import type { HistoryEntry } from './customer-queries.ts';

type History = UseInfiniteQueryResult<InfiniteData<{ items: HistoryEntry[] }>>;

/** What happened, newest first: changes and sign-ins, or who read the customer as well. */
export function CustomerHistory({ query }: { query: History }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const shown = [t('history.changes'), t('history.all')];
  const [choice, setChoice] = useState(shown[0]!);
  const filtered = choice === shown[0] ? withoutReads(query) : query;
  const entries = filtered.data?.pages.flatMap(({ items }) => items) ?? [];
  const names = usePeopleNames(entries.flatMap(({ actor: { type, id } }) => (type === 'person' && id ? [id] : [])));
  const whoOf = ({ type, id, name }: HistoryEntry['actor']) =>
    name ?? (id === undefined ? type : (names.get(id) ?? `${type} ${shortened(id)}`));
  return (
    <Section
      title={t('customer.history')}
      actions={<Choice label={t('history.show')} options={shown} value={choice} onChange={setChoice} />}
    >
      <PagedTable<HistoryEntry>
        query={filtered}
        keyOf={({ id }) => id}
        none={t('history.none')}
        columns={[
          { title: t('auditLog.time'), cell: ({ occurredAt }) => instant(occurredAt) },
          {
            title: t('auditLog.action'),
            cell: ({ id, action }) =>
              may('audit:read') ? (
                <ScreenLink to="/audit-log" search={{ entry: id }}>
                  {action}
                </ScreenLink>
              ) : (
                action
              ),
          },
          {
            title: t('auditLog.actor'),
            cell: ({ actor }) => (
              <span dir="auto" title={actor.id}>
                {whoOf(actor)}
              </span>
            ),
          },
          {
            title: t('auditLog.outcome'),
            cell: ({ outcome: { result, code } }) =>
              `${t(`auditLog.${result}`)}${code === undefined ? '' : ` · ${code}`}`,
          },
        ]}
      />
    </Section>
  );
}

function withoutReads(query: History): History {
  const { data } = query;
  if (!data) return query;
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.filter(({ action }) => retentionOf(action) !== 'reads'),
  }));
  return { ...query, data: { ...data, pages } };
}
