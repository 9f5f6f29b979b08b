import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}

interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
}

interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ExportedSpan[] }[] }[];
}

const kinds = ['', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

export interface ReceivedSpan {
  service: string;
  traceId: string;
  id: string;
  parentId: string | undefined;
  name: string;
  kind: (typeof kinds)[number];
  startMs: number;
  endMs: number;
  attributes: Record<string, string>;
}

/** A collector that keeps the spans which it receives by OTLP in JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that was received, as text. */
  received = '';
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        this.received += body;
        this.spans.push(...spansOf(JSON.parse(body) as Export));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  /** @returns its address */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets the spans until now; `received` keeps them. */
  forget(): void {
    this.spans.length = 0;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = valuesOf(resource.attributes)['service.name'] ?? '';
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: service.replace(/^holdfast-/, ''),
        traceId: span.traceId,
        id: span.spanId,
        parentId: span.parentSpanId || undefined,
        name: span.name,
        kind: kinds[span.kind] ?? '',
        startMs: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
        endMs: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
        attributes: valuesOf(span.attributes),
      })),
    );
  });
}

function valuesOf(attributes: Attribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue ?? '')]),
  );
}
