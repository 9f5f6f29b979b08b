import { Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../parts/choice.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';
import { NumberChart } from './number-chart.tsx';
import { numbersQuery, type Metric, type Range } from './number-queries.ts';
import type { NumberSeries } from './number-series.ts';
import classes from './numbers.module.css';

const metrics = ['sign-ins', 'active-customers', 'credentials', 'offers', 'claims', 'claim-rate'] as const;
const ranges = ['day', 'month', 'year'] as const;

/** What customers did, over time. */
export function Numbers() {
  const { t } = useTranslation();
  const [range, setRange] = useState<Range>('month');
  const labels = ranges.map((one) => t(`numbers.${one}`));
  return (
    <Section
      title={t('numbers.title')}
      actions={
        <Choice
          label={t('numbers.range')}
          options={labels}
          value={labels[ranges.indexOf(range)]!}
          onChange={(label) => setRange(ranges[labels.indexOf(label)]!)}
        />
      }
    >
      <div className={classes.charts}>
        {metrics.map((metric) => (
          <MetricCard key={metric} metric={metric} range={range} />
        ))}
      </div>
    </Section>
  );
}

function MetricCard({ metric, range }: { metric: Metric; range: Range }) {
  const { t } = useTranslation();
  const { data, error } = useQuery(numbersQuery(metric, range));
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm">{t(`numbers.${metric}`)}</Text>
          <Text fw={600}>{data && <Value of={data} />}</Text>
        </Group>
        {error && <ProblemNotice error={error} />}
        {data ? <NumberChart series={data} label={t(`numbers.${metric}`)} /> : <Skeleton height={96} />}
      </Stack>
    </Card>
  );
}

function Value({ of: { shown, isRate } }: { of: NumberSeries }) {
  const { i18n } = useTranslation();
  if (shown === undefined) return '–';
  const format = new Intl.NumberFormat(i18n.language, isRate ? { style: 'percent' } : {});
  return format.format(shown);
}
