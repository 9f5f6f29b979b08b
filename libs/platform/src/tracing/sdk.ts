import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { ServiceName } from '@holdfast/contracts';
import { randomForIds } from '../ids/random.js';
import { LogBudget } from '../logging/log-budget.js';
import type { Logger } from '../logging/logger.js';
import { within } from '../time/within.js';
import type { TracingConfig } from './config.js';
import { useTracer } from './spans.js';

/** A collector that is away must not keep a stopping service. */
const stopTimeoutMs = 3000;

/** Starts exporting traces. Imported only then, because of the memory and the time that the SDK needs. */
export async function startSdk(
  service: ServiceName,
  config: Partial<TracingConfig> & { HOLDFAST_REPLICA: string },
  logger: Logger,
): Promise<() => Promise<void>> {
  reportFailures(logger);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const { OTEL_BSP_SCHEDULE_DELAY: delay, OTEL_BSP_MAX_QUEUE_SIZE: queue } = config;
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource: resourceFromAttributes({
      'service.name': `holdfast-${service}`,
      'service.namespace': 'holdfast',
      'service.instance.id': `${service}-${config.HOLDFAST_REPLICA}-${randomForIds(4).toString('hex')}`,
    }).merge(detectResources({ detectors: [envDetector] })),
    // As for every other id: from the random source of the system.
    idGenerator: {
      generateTraceId: () => randomForIds(16).toString('hex'),
      generateSpanId: () => randomForIds(8).toString('hex'),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: await exporterOf(config),
        ...(delay !== undefined && { scheduledDelayMillis: delay }),
        ...(queue !== undefined && { maxQueueSize: queue, maxExportBatchSize: Math.min(512, queue) }),
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  useTracer(provider.getTracer('holdfast'));
  logger.info('traces are exported by OTLP');
  return async () => {
    useTracer(undefined);
    await within(stopTimeoutMs, provider.shutdown()).catch(() => undefined);
  };
}

/** It reads its address, headers and certificates from the environment. */
async function exporterOf({ OTEL_EXPORTER_OTLP_PROTOCOL: protocol }: Partial<TracingConfig>): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

function samplerOf(config: Partial<TracingConfig>): Sampler {
  const { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: ratio = 1 } = config;
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[name.replace(/^parentbased_/, '')]!();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** One line a minute. Without the message, which may contain the address and so its credentials. */
function reportFailures(logger: Logger): void {
  const lines = new LogBudget(1 / 60);
  setGlobalErrorHandler((error) => {
    const { code, name } = (typeof error === 'object' ? error : {}) as { code?: string; name?: string };
    if (lines.take())
      logger.warn(
        `traces could not be exported (${code ?? name ?? 'error'}); requests are not affected. ` +
          'Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector',
      );
  });
}
