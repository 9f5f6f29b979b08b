import type { BusUser } from '@holdfast/contracts';
import type { TestBus } from './test-bus.js';

/** Base configuration of a service that runs in a test. */
export function testConfig(bus: Pick<TestBus, 'url' | 'seed'>, user: BusUser) {
  return {
    NATS_URL: bus.url,
    NATS_NKEY_SEED: bus.seed(user),
    BASE_URL: 'http://localhost:3000',
    OPS_PORT: 0,
    OPS_HOST: '127.0.0.1',
    LOG_LEVEL: 'error' as const,
    HOLDFAST_REPLICA: '1',
    HOLDFAST_EXIT_WITH_PARENT: false,
  };
}

/** Settings of traces, for a fixture whose configuration has the type of a whole schema. */
export const withoutTraces = {
  OTEL_SDK_DISABLED: true,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  OTEL_TRACES_SAMPLER: 'always_off',
  OTEL_TRACES_SAMPLER_ARG: 1,
} as const;
