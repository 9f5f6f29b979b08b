import { Badge, Button, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { shortId } from '../api/organization.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import classes from './audit-log.module.css';
import { EntryPanel } from './entry-panel.tsx';
import { LogFilters } from './log-filters.tsx';
import type { AuditEvent } from './log-queries.ts';
import { filterOf, logSearchOf, type LogSearch } from './log-search.ts';
import { useLiveLog } from './use-live-log.ts';

/** The audit log as it grows, newest first. Filters and the open entry are in the address. */
export function AuditLogScreen() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/audit-log' });
  const navigate = useNavigate();
  const filter = filterOf(search);
  const { entries, error, isLive, hasEarlier, isLoading, showEarlier } = useLiveLog(filter);
  const show = (changed: Partial<Record<keyof LogSearch, string>>) =>
    void navigate({
      to: '/audit-log',
      search: (before) => logSearchOf({ ...before, ...changed }),
      replace: changed.entry === undefined,
    });
  const parameters = new URLSearchParams(filter);
  const query = parameters.size > 0 ? `?${parameters.toString()}` : '';
  return (
    <Screen
      title={t('auditLog.title')}
      tabs={<AreaTabs of="/audit-log" />}
      actions={
        <Badge variant="dot" color={isLive ? 'green' : 'red'} tt="none" role="status">
          {t(isLive ? 'auditLog.live' : 'auditLog.notLive')}
        </Badge>
      }
    >
      <LogFilters filter={filter} onChange={(name, value) => show({ [name]: value })} />
      {error && <ProblemNotice error={error} />}
      <div className={search.entry === undefined ? undefined : classes.withEntry}>
        <div>
          {entries.length === 0 && !isLoading && !error ? (
            <Text>
              {t('auditLog.none')}. {t('auditLog.noneBody')}
            </Text>
          ) : (
            <Entries entries={entries} open={search.entry} onOpen={(id) => show({ entry: id })} />
          )}
          {hasEarlier && (
            <Button variant="default" mt="md" loading={isLoading} onClick={showEarlier}>
              {t('auditLog.earlier')}
            </Button>
          )}
        </div>
        {search.entry !== undefined && (
          <EntryPanel
            key={search.entry}
            id={search.entry}
            known={entries.find(({ id }) => id === search.entry)}
            onClose={() => show({ entry: '' })}
            onFilter={(name, value) => show({ [name]: value })}
          />
        )}
      </div>
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/audit/events${query}` }}
        operation="audit:read"
      />
    </Screen>
  );
}

interface EntriesProps {
  entries: AuditEvent[];
  open: string | undefined;
  onOpen: (id: string) => void;
}

function Entries({ entries, open, onOpen }: EntriesProps) {
  const { t } = useTranslation();
  return (
    <ObjectTable
      items={entries}
      keyOf={({ id }) => id}
      current={open}
      columns={[
        {
          title: t('auditLog.time'),
          cell: ({ occurredAt }) => <span className={classes.time}>{instant(occurredAt)}</span>,
        },
        {
          title: t('auditLog.action'),
          cell: ({ id, action }) => (
            <button type="button" className={classes.action} onClick={() => onOpen(id)}>
              {action}
            </button>
          ),
        },
        {
          title: t('auditLog.actor'),
          cell: ({ actor }) => (
            <span dir="auto" title={actor.id}>
              {nameOf(actor)}
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
  );
}

function nameOf({ name, id, type }: AuditEvent['actor']): string {
  return name ?? (id === undefined ? type : shortened(id));
}
