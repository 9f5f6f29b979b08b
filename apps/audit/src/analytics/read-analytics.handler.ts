import { Controller } from '@nestjs/common';
import { readAnalytics, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { ReadDatabase } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { analyticsStatement, type AnalyticsRow } from './analytics-statement.js';
import { bucketsOf } from './calendar.js';
import { seriesOf } from './series.js';

/** Numbers of an organization: docs/analytics.md. */
@Controller()
export class ReadAnalyticsHandler {
  constructor(private readonly database: ReadDatabase) {}

  @Handles(readAnalytics)
  async handle(
    request: RequestOf<typeof readAnalytics>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof readAnalytics>> {
    const { metric, interval, timezone, groupBy } = request;
    const bounds = bucketsOf(request);
    const read = (useLong: boolean) => {
      const { statement, values } = analyticsStatement(org, request, bounds, useLong);
      return this.database.rows<AnalyticsRow>(statement, values);
    };
    let rows = await read(true);
    if (!rows[0]!.hasLong) rows = await read(false);
    const { counted, latest, head } = rows[0]!;
    const iso = (ms: number) => new Date(ms).toISOString();
    return {
      metric,
      interval,
      timezone,
      ...(groupBy && { groupBy }),
      asOf: {
        seq: counted,
        ...(latest && { occurredAt: latest.toISOString() }),
        remaining: Math.max(0, head - counted),
      },
      buckets: bounds.slice(0, -1).map(iso),
      to: iso(bounds.at(-1)!),
      series: seriesOf(request, bounds.length - 1, rows),
    };
  }
}
