import { z } from 'zod';

const text = z.string().min(1).optional();
const positive = z.coerce.number().int().min(1).optional();
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The standard variables of OpenTelemetry for traces. The exporter reads those of `OTEL_EXPORTER_OTLP_` by itself. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: z.stringbool().default(false).describe('Switches traces off, whatever else is set'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe('Where traces go. When left out, `otlp` if an endpoint is set, else `none`: nothing is loaded'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Address of the collector; traces go to `/v1/traces` below it. `http://localhost:4318` when left out'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional().describe('Full address for traces, instead of the one above'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'])
    .default('http/protobuf')
    .describe('Encoding of what is sent to the collector'),
  OTEL_EXPORTER_OTLP_HEADERS: text.describe('Secret: headers for the collector, as `name=value,…`'),
  OTEL_EXPORTER_OTLP_CERTIFICATE: text.describe('File with the certificates of the authority of the collector (PEM)'),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: text.describe('File with the client certificate for the collector (PEM)'),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: text.describe('File with its private key (PEM)'),
  OTEL_EXPORTER_OTLP_TIMEOUT: positive.describe('Longest time of one export in ms, 10000 when left out'),
  OTEL_EXPORTER_OTLP_COMPRESSION: z.enum(['gzip', 'none']).optional().describe('Compression of exports'),
  OTEL_SERVICE_NAME: text.describe('Name of the service in traces, `holdfast-<service>` when left out'),
  OTEL_RESOURCE_ATTRIBUTES: text.describe('Attributes of the process in traces, as `name=value,…`'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_always_on')
    .describe('Which requests are traced. The gateway decides; the other services follow with `parentbased_…`'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the requests that a `traceidratio` sampler traces, 0 to 1'),
  OTEL_BSP_SCHEDULE_DELAY: positive.describe('Time between two exports in ms, 5000 when left out'),
  OTEL_BSP_MAX_QUEUE_SIZE: positive.describe('Spans that wait for an export, 2048 when left out; others are dropped'),
};

const tracingSchema = z.object(tracingSettings);
export type TracingConfig = z.output<typeof tracingSchema>;

/** Whether the variables say that traces are to be exported. */
export function wantsTraces(config: Partial<TracingConfig>): boolean {
  if (config.OTEL_SDK_DISABLED) return false;
  if (config.OTEL_TRACES_EXPORTER) return config.OTEL_TRACES_EXPORTER === 'otlp';
  return (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined;
}

/** The same, before the configuration is loaded: for metrics that are declared with the modules. */
export function environmentWantsTraces(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { success, data } = tracingSchema.safeParse(environment);
  return success && wantsTraces(data);
}
