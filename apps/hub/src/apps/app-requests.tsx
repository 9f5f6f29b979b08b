import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorCatalogue } from '@holdfast/contracts';
import { api, dataOf, path } from '../api/client.ts';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';

const shown = 25;

/** The API log of an app: its last requests, what came of each, and what to do about an error. */
export function AppRequests({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: ['app', clientId, 'requests'],
    queryFn: () =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/audit/events', { params: { path, query: { actor: clientId, limit: shown } } }),
      ),
    refetchOnWindowFocus: true,
  });
  return (
    <Section title={t('apiLog.title')} text={t('apiLog.body')}>
      {error && <ProblemNotice error={error} />}
      {data?.items.length === 0 && <Text size="sm">{t('apiLog.none')}</Text>}
      {data && data.items.length > 0 && (
        <ObjectTable
          items={data.items}
          keyOf={({ id }) => id}
          columns={[
            {
              title: t('auditLog.time'),
              cell: ({ id, occurredAt }) => (
                <ScreenLink to="/audit-log" search={{ actor: clientId, entry: id }}>
                  {instant(occurredAt)}
                </ScreenLink>
              ),
            },
            {
              title: t('apiLog.request'),
              cell: ({ request: { method, route } }) => (
                <code>
                  {method} {route}
                </code>
              ),
            },
            {
              title: t('auditLog.outcome'),
              cell: ({ outcome: { status, code, count } }) =>
                [status, code, count === undefined ? undefined : `× ${count}`].filter(Boolean).join(' · '),
            },
            { title: t('apiLog.help'), cell: ({ outcome: { code } }) => <Text size="xs">{helpOf(code)}</Text> },
          ]}
        />
      )}
    </Section>
  );
}

/** What docs/reference/errors.md says, in English as the error itself. */
function helpOf(code: string | undefined): string {
  return code !== undefined && code in errorCatalogue ? errorCatalogue[code as keyof typeof errorCatalogue].help : '';
}
