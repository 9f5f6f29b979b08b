import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { AppError } from '../errors/app-error.js';
import { inRemoteTrace, inSpan, inSpanOfMessages, SpanKind, useTracer } from './spans.js';

const exporter = new InMemorySpanExporter();
const traceparent = (digit: string, span = digit) => `00-${digit.repeat(32)}-${span.repeat(16)}-01`;
const process = () => ({ name: 'process', kind: SpanKind.CONSUMER, attributes: {} });
const query = () =>
  inSpan(
    () => ({ name: 'query', kind: SpanKind.CLIENT, attributes: {} }),
    async () => undefined,
  );

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  useTracer(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('test'));
});
beforeEach(() => exporter.reset());
afterAll(() => {
  useTracer(undefined);
  context.disable();
});

const finished = () =>
  exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    trace: span.spanContext().traceId[0],
    parent: span.parentSpanContext?.spanId[0],
    links: span.links.map((link) => link.context.traceId[0]),
  }));

describe('a batch of messages', () => {
  it('of one trace is a span of that trace, under the first message and linked to the others', async () => {
    await inSpanOfMessages(process, () => [traceparent('a', 'b'), traceparent('a', 'c')], query);
    const [child, batch] = finished();
    expect(child).toMatchObject({ name: 'query', trace: 'a' });
    expect(batch).toEqual({ name: 'process', trace: 'a', parent: 'b', links: ['a'] });
  });

  it('of several traces is a trace of its own, linked with a span in each of them', async () => {
    await inSpanOfMessages(process, () => [traceparent('a'), traceparent('b')], query);
    const ids = exporter.getFinishedSpans().map((span) => span.spanContext().traceId);
    const [, batch, ...each] = finished();
    expect(batch).toMatchObject({ parent: undefined, links: ['a', 'b'] });
    expect(ids[0]).toBe(ids[1]);
    expect(each).toEqual([
      { name: 'process', trace: 'a', parent: 'a', links: [ids[1]![0]] },
      { name: 'process', trace: 'b', parent: 'b', links: [ids[1]![0]] },
    ]);
  });

  it.each([[[undefined]], [['x']], [[traceparent('a').replace(/01$/, '00')]]])(
    'without a sampled trace (%j) has no span',
    async (traceparents) => {
      await inSpanOfMessages(process, () => traceparents, query);
      expect(finished()).toEqual([]);
    },
  );
});

it('background work begins no trace', async () => {
  await query();
  expect(finished()).toEqual([]);
});

it('an error of the caller is no failure of the span, and neither has its message', async () => {
  const failWith = (error: Error) =>
    inRemoteTrace(traceparent('a'), () => inSpan(process, () => Promise.reject(error))).catch(() => undefined);
  await failWith(new AppError('invalid_state', 'canary'));
  await failWith(new AppError('unavailable', 'canary'));
  await failWith(new Error('canary'));
  const spans = exporter.getFinishedSpans().map(({ attributes, status, events }) => ({ attributes, status, events }));
  expect(spans.map(({ status }) => status.code)).toEqual([0, 2, 2]);
  expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual(['invalid_state', 'unavailable', 'Error']);
  expect(JSON.stringify(spans)).not.toContain('canary');
});
