import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Facts } from '../parts/facts.tsx';
import { instant } from '../parts/format.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { Section } from '../parts/section.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { comparisonQuery, cosignedQuery, keep } from './checkpoint-queries.ts';
import type { Comparison, KeptCheckpoint } from './kept-checkpoint.ts';

/** The signed state of the audit log, compared with the one that this browser saw before. */
export function CheckpointsScreen() {
  const { t } = useTranslation();
  const { data, error } = useQuery(comparisonQuery);
  return (
    <Screen title={t('checkpoints.title')} needs="audit:read" tabs={<AreaTabs of="/checkpoints" />}>
      <Text>{t('checkpoints.body')}</Text>
      {error && <ProblemNotice error={error} />}
      {data && (
        <>
          <Section title={t('checkpoints.consistency')}>
            <ComparisonNotice {...data} />
          </Section>
          <Section title={t('checkpoints.newest')}>
            <Facts
              facts={{
                [t('checkpoints.size')]: data.checkpoint?.size,
                [t('checkpoints.signed')]: data.checkpoint?.origin,
              }}
            />
            <CodeBlock text={data.note} label={t('checkpoints.note')} />
          </Section>
          <Witnesses />
          <Section title={t('checkpoints.verifierKeys')} text={t('checkpoints.verifierKeysBody')}>
            <CodeBlock text={data.keys.join('\n')} label={t('checkpoints.keyLines')} />
          </Section>
        </>
      )}
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/audit/checkpoint` }} operation="audit:read" />
    </Screen>
  );
}

interface NoticeProps {
  comparison: Comparison;
  before: KeptCheckpoint | undefined;
  note: string;
}

function ComparisonNotice({ comparison, before, note }: NoticeProps) {
  const { t } = useTranslation();
  switch (comparison.kind) {
    case 'first':
      return <Text size="sm">{t('checkpoints.first')}</Text>;
    case 'same':
    case 'continues':
      return (
        <Alert color="green" role="status">
          {comparison.kind === 'same'
            ? t('checkpoints.same')
            : t('checkpoints.continues', { size: String(comparison.size) })}
          {before && ` (${instant(before.at)})`}
        </Alert>
      );
    case 'broken':
      return (
        <Alert color="red" role="alert" title={t('checkpoints.broken')}>
          <Text size="sm">{t('checkpoints.brokenBody')}</Text>
          <Text size="sm">{comparison.why}</Text>
          {before && <CodeBlock text={before.note} label={instant(before.at)} />}
          <Group mt="sm">
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                keep(note);
                void queryClient.invalidateQueries({ queryKey: comparisonQuery.queryKey });
              }}
            >
              {t('checkpoints.keepNow')}
            </Button>
          </Group>
        </Alert>
      );
  }
}

function Witnesses() {
  const { t } = useTranslation();
  const { data, error } = useQuery(cosignedQuery);
  return (
    <Section title={t('checkpoints.witnesses')} text={t('checkpoints.witnessesBody')}>
      {error && <ProblemNotice error={error} />}
      {data !== undefined && (
        <Text size="sm">
          {data === null
            ? t('checkpoints.noWitness')
            : t('checkpoints.cosigned', { size: data.size, names: data.witnesses.join(', ') })}
        </Text>
      )}
    </Section>
  );
}
