import { Text, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { relatedOriginsPath } from '@holdfast/contracts';
import { api, change, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Facts } from '../parts/facts.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';
import { TableSkeleton } from '../parts/table-skeleton.tsx';

type RpIdState = Schemas['RpId'];

const rpIdQuery = queryOptions({
  queryKey: ['rp-id'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/rp-id', { params: { path } })),
});
const reload = () => queryClient.invalidateQueries({ queryKey: rpIdQuery.queryKey });

/** The domain of the passkeys, and the move to another one (docs/rp-id.md). */
export function RpId() {
  const { t } = useTranslation();
  const { data, error, isPending } = useQuery(rpIdQuery);
  return (
    <Section
      title={t('issuerKeys.rpId')}
      text={t('issuerKeys.rpIdBody')}
      actions={
        <>
          <BeginMove />
          {data?.earlier !== undefined && <EndMove state={data} earlier={data.earlier} />}
        </>
      }
    >
      {error && <ProblemNotice error={error} />}
      {isPending && <TableSkeleton columns={3} />}
      {data && (
        <>
          <Facts
            facts={{
              [t('issuerKeys.current')]: data.ofDeployment
                ? t('issuerKeys.ofDeployment', { domain: data.rpId })
                : data.rpId,
              [t('issuerKeys.earlier')]: data.earlier,
            }}
          />
          <ObjectTable<RpIdState['passkeys'][number]>
            items={data.passkeys}
            keyOf={({ rpId }) => rpId}
            columns={[
              { title: t('issuerKeys.domain'), cell: ({ rpId }) => rpId },
              { title: t('issuerKeys.customers'), cell: ({ customers }) => customers },
              { title: t('issuerKeys.people'), cell: ({ people }) => people },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function BeginMove() {
  const { t } = useTranslation();
  const { host, origin } = location;
  return (
    <FormDialog
      label={t('issuerKeys.move')}
      submit={t('issuerKeys.begin')}
      name="rp-id"
      initial={{ rpId: '' }}
      fields={(form, issueOf) => {
        const domain = form.values.rpId.trim() || 'example.com';
        return (
          <>
            <Text size="sm">
              {t('issuerKeys.moveBody', { host, address: `https://${domain}${relatedOriginsPath}` })}
            </Text>
            <CodeBlock label={t('issuerKeys.document')} text={JSON.stringify({ origins: [origin] })} />
            <TextInput
              label={t('issuerKeys.newDomain')}
              description={t('issuerKeys.newDomainBody')}
              maxLength={253}
              data-autofocus
              {...form.getInputProps('rpId')}
              error={issueOf('rpId')}
            />
          </>
        );
      }}
      run={({ rpId }) => {
        const body = { rpId: rpId.trim() || null };
        return change({ changeRpId: body }, (header) =>
          api.PATCH('/o/{shortId}/api/admin/rp-id', { params: { path, header }, body }),
        );
      }}
      onDone={reload}
    />
  );
}

function EndMove({ state: { passkeys }, earlier }: { state: RpIdState; earlier: string }) {
  const { t } = useTranslation();
  const { customers = 0, people = 0 } = passkeys.find(({ rpId }) => rpId === earlier) ?? {};
  return (
    <Action
      isFinal
      label={t('issuerKeys.end')}
      confirm={{
        title: t('issuerKeys.endTitle', { domain: earlier }),
        text: t('issuerKeys.endBody', { customers: String(customers), people: String(people) }),
        typed: { label: t('issuerKeys.domain'), text: earlier },
      }}
      run={() =>
        change({ endMove: earlier }, (header) =>
          api.DELETE('/o/{shortId}/api/admin/rp-id/earlier', { params: { path, header } }),
        )
      }
      onDone={reload}
    />
  );
}
