import type { Pool } from 'pg';
import type { Options } from '../options.ts';
import type { Stack } from '../stack.ts';
import { measureWebhooks, webhooksTable } from '../webhooks.ts';
import { analyticsTable, measureAnalytics } from './analytics.ts';
import { destinationsTable, measureDestinations } from './destinations.ts';
import { exportTable, measureExport } from './export.ts';
import { measureReaders, readersTable } from './readers.ts';

/** What leaves the stack by itself, or takes long and fills the log; lots of `--only`. */
export const auditLots = ['log-readers', 'destinations', 'analytics', 'export', 'webhooks'] as const;

const exportedEntries = 1_000_000;
const sentEntries = 20_000;

export interface MeasuredAudit {
  /** By lot, as text for the terminal and as figures. */
  [lot: string]: { table: string; figures: unknown };
}

export async function measureAuditLots(
  only: readonly string[],
  { stack, pool }: { stack: Stack; pool: Pool },
  { rounds, seconds, largest }: Pick<Options, 'rounds' | 'seconds' | 'largest'>,
  print: (text: string) => void,
): Promise<MeasuredAudit> {
  const measured: MeasuredAudit = {};
  if (only.includes('log-readers')) {
    const figures = await measureReaders(stack, { rounds, seconds }, print);
    measured['log-readers'] = { table: readersTable(figures), figures };
  }
  if (only.includes('destinations')) {
    const { HOLDFAST_TEST_RECEIVER: receiverUrl = '', HOLDFAST_TEST_TLS_RECEIVER: tlsUrl = '' } = process.env;
    const entries = Math.min(sentEntries, largest);
    const figures = await measureDestinations(stack, pool, { rounds, entries, receiverUrl, tlsUrl }, print);
    measured.destinations = { table: destinationsTable(figures), figures };
  }
  if (only.includes('webhooks')) {
    const { HOLDFAST_TEST_RECEIVER: receiverUrl = '' } = process.env;
    const figures = await measureWebhooks(stack, pool, { rounds, seconds, receiverUrl }, print);
    measured.webhooks = { table: webhooksTable(figures), figures };
  }
  if (only.includes('analytics')) {
    const figures = await measureAnalytics(stack, pool, rounds, print);
    measured.analytics = { table: analyticsTable(figures), figures };
  }
  if (only.includes('export')) {
    const figures = await measureExport(stack, pool, Math.min(exportedEntries, largest), print);
    measured.export = { table: exportTable(figures), figures };
  }
  return measured;
}
