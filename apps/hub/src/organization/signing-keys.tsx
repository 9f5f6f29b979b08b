import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { instant } from '../parts/format.ts';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';
import { TableSkeleton } from '../parts/table-skeleton.tsx';

const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/keys', { params: { path } })),
});

const states = {
  next: 'issuerKeys.next',
  signing: 'issuerKeys.signingNow',
  verifying: 'issuerKeys.verifying',
} as const;

/** The keys of the organization's issuer, and their rotation. */
export function SigningKeys() {
  const { t } = useTranslation();
  const { data, error, isPending } = useQuery(keysQuery);
  return (
    <Section
      title={t('issuerKeys.signing')}
      text={t('issuerKeys.signingBody')}
      actions={
        <Action
          label={t('issuerKeys.rotate')}
          confirm={{ title: t('issuerKeys.rotate'), text: t('issuerKeys.rotateBody') }}
          run={() =>
            dataOf(
              api.POST('/o/{shortId}/api/admin/keys/rotation', { params: { path }, body: { overlapSeconds: 3600 } }),
            )
          }
          onDone={(keys) => queryClient.setQueryData(keysQuery.queryKey, keys)}
        />
      }
    >
      {error && <ProblemNotice error={error} />}
      {isPending && <TableSkeleton columns={4} />}
      {data && (
        <ObjectTable<Schemas['IssuerKey']>
          items={data.keys}
          keyOf={({ kid }) => kid}
          columns={[
            { title: t('issuerKeys.id'), cell: ({ kid }) => <code>{kid}</code> },
            { title: t('issuerKeys.algorithm'), cell: ({ alg }) => alg },
            { title: t('list.state'), cell: ({ state }) => t(states[state]) },
            { title: t('issuerKeys.since'), cell: ({ signsFrom }) => instant(signsFrom) },
          ]}
        />
      )}
    </Section>
  );
}
