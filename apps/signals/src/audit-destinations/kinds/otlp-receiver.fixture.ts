import { isDeepStrictEqual } from 'node:util';
import { MockOtlpServer } from '@elastic/mockotlpserver';
import { getProtoRoot } from '@elastic/mockotlpserver/lib/proto.js';

export interface LogRecord {
  timeUnixNano: string;
  observedTimeUnixNano: string;
  severityNumber: number;
  severityText: string;
  eventName?: string;
  body: { stringValue: string };
  attributes: KeyValue[];
  traceId?: string;
  spanId?: string;
}
interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: string };
}
export interface ResourceLogs {
  resource: { attributes: KeyValue[] };
  scopeLogs: { scope: object; logRecords: LogRecord[] }[];
}
interface ExportLogs {
  resourceLogs: ResourceLogs[];
}

const exportLogs = getProtoRoot().lookupType('opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest');

/**
 * A request in JSON as a receiver of OTLP understands it: its way through the binary encoding drops what the schema
 * does not know, and changes what has another type.
 */
function understood(request: object): ExportLogs {
  const binary = exportLogs.encode(exportLogs.fromObject(request)).finish();
  return exportLogs.toObject(exportLogs.decode(binary), { longs: String, bytes: String }) as ExportLogs;
}

/** OTLP added `event_name` in version 1.5.0, and receivers ignore what is newer than they are: it may be lost. */
function withoutEventNames(request: ExportLogs): ExportLogs {
  const copy = JSON.parse(JSON.stringify(request)) as ExportLogs;
  for (const { scopeLogs } of copy.resourceLogs)
    for (const record of scopeLogs.flatMap(({ logRecords }) => logRecords)) delete record.eventName;
  return copy;
}

/** What of a request is not OTLP in JSON; undefined when all of it is. */
export function violation(request: ExportLogs): string | undefined {
  for (const { scopeLogs } of request.resourceLogs)
    for (const { traceId, spanId, eventName } of scopeLogs.flatMap(({ logRecords }) => logRecords)) {
      // In JSON these are hexadecimal, unlike other bytes of protobuf (OTLP, "JSON Protobuf Encoding").
      if (traceId !== undefined && !/^[0-9a-f]{32}$/.test(traceId)) return `traceId ${traceId}`;
      if (spanId !== undefined && !/^[0-9a-f]{16}$/.test(spanId)) return `spanId ${spanId}`;
      if (!['string', 'undefined'].includes(typeof eventName)) return 'eventName is no text';
    }
  const sent = withoutEventNames(request);
  const read = JSON.parse(JSON.stringify(understood(sent))) as ExportLogs;
  return isDeepStrictEqual(read, sent) ? undefined : `${JSON.stringify(sent).slice(0, 500)} is not OTLP`;
}

/** The OTLP/HTTP server of Elastic, which developers of OpenTelemetry's distribution for Node.js test against. */
export class OtlpReceiver {
  readonly violations: string[] = [];
  private readonly received: ResourceLogs[] = [];
  private readonly server = new MockOtlpServer({
    services: ['http'],
    httpHostname: '127.0.0.1',
    httpPort: 0,
    logLevel: 'fatal',
    onLogs: (logs) => {
      const request = logs as ExportLogs;
      const found = violation(request);
      if (found) this.violations.push(found);
      this.received.push(...request.resourceLogs);
    },
  });

  open(): Promise<void> {
    return this.server.start();
  }

  close(): Promise<void> {
    return this.server.close();
  }

  get origin(): string {
    return this.server.httpUrl.origin;
  }

  /** In the order of their arrival. */
  of(org: string): ResourceLogs[] {
    return this.received.filter(({ resource }) => textOf(resource.attributes, 'holdfast.organization') === org);
  }
}

export function textOf(attributes: KeyValue[], key: string): string | undefined {
  return attributes.find((attribute) => attribute.key === key)?.value.stringValue;
}
