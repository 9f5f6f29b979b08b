import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../logging/logger.js';
import { environmentWantsTraces } from './config.js';
import { inRemoteTrace, inSpan, isTracing, SpanKind, startRequestSpan } from './spans.js';
import { startTracing } from './start-tracing.js';

const logger = createLogger('test', 'fatal');
const describeSpan = () => ({ name: 'statement_name', kind: SpanKind.CLIENT, attributes: {} });
const secret = 'secret@example.com';
let stop = async () => {};

afterEach(() => stop());

describe('traces are exported', () => {
  it.each<[boolean, NodeJS.ProcessEnv]>([
    [false, {}],
    [true, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }],
    [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }],
    [true, { OTEL_TRACES_EXPORTER: 'otlp' }],
    [false, { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }],
    [false, { OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'otlp' }],
    [true, { OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' }],
  ])('%s with %j', (wanted, environment) => expect(environmentWantsTraces(environment)).toBe(wanted));
});

it('without the variables, work runs without a span and nothing is started', async () => {
  stop = await startTracing('issuance', { HOLDFAST_REPLICA: '1' }, logger);
  expect(isTracing()).toBe(false);
  expect(startRequestSpan('GET')).toBeUndefined();
  expect(await inSpan(describeSpan, (traceparent) => Promise.resolve(traceparent))).toBeUndefined();
});

it('spans go to the collector in protobuf, with the names of the resource and without messages of errors', async () => {
  const bodies: Buffer[] = [];
  const types: unknown[] = [];
  const collector = createServer((request, response) => {
    types.push(request.headers['content-type']);
    request.on('data', (chunk: Buffer) => bodies.push(chunk)).on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'deployment.environment.name=trial';
  try {
    stop = await startTracing('issuance', { HOLDFAST_REPLICA: '1', OTEL_TRACES_EXPORTER: 'otlp' }, logger);
    const request = startRequestSpan('POST')!;
    const failing = () => Promise.reject(Object.assign(new Error(secret), { code: '23505' }));
    await request.run(() => inSpan(describeSpan, failing).catch(() => undefined));
    request.end({ route: '/o/{shortId}', status: 500 });

    const unsampled = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    expect(await inRemoteTrace(unsampled, () => inSpan(describeSpan, (t) => Promise.resolve(t)))).toBeUndefined();
    await stop();
    const exported = Buffer.concat(bodies).toString('latin1');
    expect(types).toEqual(['application/x-protobuf']);
    for (const name of ['holdfast-issuance', 'trial', 'statement_name', 'POST /o/{shortId}', '23505'])
      expect(exported).toContain(name);
    expect(exported).not.toContain(secret);
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_RESOURCE_ATTRIBUTES;
    collector.close();
  }
});
