import { useComputedColorScheme } from '@mantine/core';
import { useMergedRef, useResizeObserver } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { NumberSeries } from './number-series.ts';
import classes from './numbers.module.css';

const height = 96;

/** A line over time, drawn on a canvas; screen readers get its highest and last value. */
export function NumberChart({ series: { times, values, isRate }, label }: { series: NumberSeries; label: string }) {
  const { t, i18n } = useTranslation();
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const [observe, { width }] = useResizeObserver<HTMLDivElement>();
  const scheme = useComputedColorScheme();
  const format = (value: number) =>
    new Intl.NumberFormat(i18n.language, isRate ? { style: 'percent' } : { notation: 'compact' }).format(value);
  useEffect(() => {
    if (!element || width === 0) return undefined;
    const style = getComputedStyle(element);
    const color = (name: string) => style.getPropertyValue(name);
    const axis = { stroke: color('--mantine-color-dimmed'), grid: { stroke: color('--mantine-color-default-border') } };
    const chart = new UPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, max) => [0, Math.max(max, isRate ? 1 : 4)] } },
        axes: [
          { ...axis, grid: { show: false }, size: 24, values: (_, at) => at.map((s) => dayOf(s, i18n.language)) },
          { ...axis, size: 44, values: (_, at) => at.map(format) },
        ],
        series: [{}, { stroke: color('--mantine-color-anchor'), width: 2, points: { show: values.length < 3 } }],
      },
      [times, values],
      element,
    );
    return () => chart.destroy();
  }, [element, width, scheme, times, values]);
  const counts = values.filter((value) => value !== null);
  const summary =
    counts.length === 0
      ? t('numbers.nothing')
      : t('numbers.summary', { highest: format(Math.max(...counts)), last: format(counts.at(-1)!) });
  return (
    <div
      ref={useMergedRef(setElement, observe)}
      className={classes.chart}
      role="img"
      aria-label={`${label}: ${summary}`}
    />
  );
}

function dayOf(seconds: number, language: string): string {
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'numeric' }).format(new Date(seconds * 1000));
}
