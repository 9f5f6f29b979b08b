import { z } from 'zod';
import type { AuditEvent, DestinationCredentials, DestinationSettings } from '@holdfast/contracts';
import type { Batch, Delivered, DestinationKind } from './kind.js';
import { post } from './post.js';

/** Only a receiver that refused records says so; the count is a 64-bit integer, in JSON a string. */
const partialSchema = z.looseObject({
  partialSuccess: z.looseObject({ rejectedLogRecords: z.coerce.number().int().min(0).default(0) }).optional(),
});

/** OpenTelemetry logs by OTLP/HTTP in JSON. What a partial success has rejected must not be sent again (OTLP 1.x). */
export const otlpHttp: DestinationKind<DestinationSettings<'otlp_http'>, DestinationCredentials<'otlp_http'>> = {
  maxBytes: 4_000_000,
  check: ({ url }, outbound) => outbound.check(url),
  async send(batch, target) {
    const response = await post(target, {
      url: target.settings.url,
      headers: { ...target.credentials?.headers, 'content-type': 'application/json' },
      body: JSON.stringify(logsOf(batch, target.now)),
    });
    return rejectionsOf(response.body);
  },
};

function rejectionsOf(response: Buffer): Delivered {
  try {
    const { partialSuccess } = partialSchema.parse(JSON.parse(response.toString('utf8')));
    const count = partialSuccess?.rejectedLogRecords ?? 0;
    return count > 0 ? { rejected: { count, reason: 'the receiver rejected it in a partial success' } } : {};
  } catch {
    // An empty or other body with status 200: everything is accepted.
    return {};
  }
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const whole = (key: string, value: number) => ({ key, value: { intValue: String(value) } });
/** Exact to the millisecond, as the entry is; a number would lose digits. */
const nanoseconds = (time: Date) => `${time.getTime()}000000`;

function logsOf({ org, entries }: Batch, now: Date) {
  const logRecords = entries.map(({ event, body }) => ({
    timeUnixNano: nanoseconds(new Date(event.occurredAt)),
    observedTimeUnixNano: nanoseconds(now),
    ...severityOf(event),
    eventName: `holdfast.audit.${event.action}`,
    body: { stringValue: JSON.stringify(body) },
    attributes: [
      text('holdfast.audit.id', event.id),
      whole('holdfast.audit.seq', event.seq),
      text('holdfast.audit.action', event.action),
      text('holdfast.audit.outcome', event.outcome.result),
      text('holdfast.audit.actor.type', event.actor.type),
      text('holdfast.audit.actor.id', event.actor.id),
    ],
    ...traceOf(event),
  }));
  const resource = { attributes: [text('service.name', 'holdfast'), text('holdfast.organization', org)] };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'holdfast.audit' }, logRecords }] }] };
}

/** INFO, and WARN for what did not succeed. */
function severityOf({ outcome }: AuditEvent): { severityNumber: number; severityText: string } {
  return outcome.result === 'success'
    ? { severityNumber: 9, severityText: 'INFO' }
    : { severityNumber: 13, severityText: 'WARN' };
}

function traceOf({ request: { traceparent } }: AuditEvent): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(traceparent) ?? [];
  return traceId && spanId ? { traceId, spanId } : {};
}
