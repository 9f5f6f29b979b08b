// OTLP/HTTP with a real receiver, whose requests are compared with the schema of the OpenTelemetry protocol.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { actionNames, outcomes, type AuditEvent } from '@holdfast/contracts';
import { ocsfEventOf } from '@holdfast/platform';
import { DestinationsStack } from '../destinations-stack.fixture.js';
import { OtlpReceiver, textOf, violation, type LogRecord, type ResourceLogs } from './otlp-receiver.fixture.js';

const receiver = new OtlpReceiver();
let stack: DestinationsStack;
beforeAll(async () => {
  await receiver.open();
  stack = await DestinationsStack.start([receiver.origin]);
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
});

const request = { id: 'request-1', method: 'POST', route: '/o/{shortId}/api' };
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const actors: AuditEvent['actor'][] = [
  { type: 'app', id: 'app-1', name: 'Café "Zürich" \\ 東京 👩‍🚀 \u0001\t\n\u2028"}}]}]},{"eventName":"forged"' },
  { type: 'customer', id: 'pseudonym-1' },
  { type: 'person', id: 'pseudonym-2' },
  { type: 'operator', id: 'operator', name: 'operator' },
  { type: 'system', id: 'issuance' },
  { type: 'anonymous', id: 'anonymous' },
];
const changes = {
  text: { from: '', to: 'ä'.repeat(10_000) },
  numbers: { from: [0, -1, 1.5, 1e300, Number.MAX_SAFE_INTEGER], to: null },
  nested: { to: { list: [true, { '@key': 'value' }] } },
};

/** Every action, with every actor and outcome, and requests with a trace and without a usable one. */
function append(org: string): AuditEvent[] {
  return actionNames.flatMap((action, i) =>
    stack.append(org, 1, {
      action,
      occurredAt: new Date(Date.UTC(2026, 10, 23, 12, 0, i, i)).toISOString(),
      actor: actors[i % actors.length]!,
      outcome: { result: outcomes[i % outcomes.length]!, status: 200, count: i },
      request: { ...request, traceparent: i % 5 === 0 ? '00-1-2-01' : traceparent },
      ...(i % 7 === 0 && { changes }),
    }),
  );
}

async function received(org: string, format: 'native' | 'ocsf'): Promise<[ResourceLogs[], LogRecord[]]> {
  const settings = { url: `${receiver.origin}/v1/logs` };
  const { id } = await stack.create(org, { kind: 'otlp_http', after: 0, settings, format });
  expect(await stack.caughtUp(org, id)).toMatchObject({ rejected: 0 });
  const logs = receiver.of(org);
  return [logs, logs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))];
}

it('sends every sort of entry once, in order, as the schema of OTLP requires', async () => {
  const events = append('acme');
  const [logs, records] = await received('acme', 'native');
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  expect(receiver.violations).toEqual([]);
  expect(records.map(({ body }) => JSON.parse(body.stringValue) as unknown)).toEqual(
    events.map((event) => ({ organization: 'acme', ...event })),
  );
  expect(records).toEqual(
    events.map(({ id, seq, occurredAt, action, actor, outcome, request: { traceparent: trace } }) => ({
      // Nanoseconds in 64 bits: a decimal string in JSON.
      timeUnixNano: `${Date.parse(occurredAt)}000000`,
      observedTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      ...(outcome.result === 'success'
        ? { severityNumber: 9, severityText: 'INFO' }
        : { severityNumber: 13, severityText: 'WARN' }),
      eventName: `holdfast.audit.${action}`,
      body: { stringValue: expect.any(String) },
      attributes: [
        text('holdfast.audit.id', id),
        { key: 'holdfast.audit.seq', value: { intValue: String(seq) } },
        text('holdfast.audit.action', action),
        text('holdfast.audit.outcome', outcome.result),
        text('holdfast.audit.actor.type', actor.type),
        text('holdfast.audit.actor.id', actor.id),
      ],
      ...(trace === traceparent && { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }),
    })),
  );
  for (const { resource, scopeLogs } of logs) {
    expect(resource.attributes).toEqual([text('service.name', 'holdfast'), text('holdfast.organization', 'acme')]);
    expect(scopeLogs.map(({ scope }) => scope)).toEqual([{ name: 'holdfast.audit' }]);
  }
});

it('sends every sort of entry in OCSF as the body, with the same attributes', async () => {
  const events = append('globex');
  const [, records] = await received('globex', 'ocsf');
  expect(receiver.violations).toEqual([]);
  expect(records.map(({ body }) => JSON.parse(body.stringValue) as unknown)).toEqual(
    events.map((event) => JSON.parse(JSON.stringify(ocsfEventOf('globex', event))) as unknown),
  );
  expect(records.map(({ attributes }) => textOf(attributes, 'holdfast.audit.id'))).toEqual(events.map(({ id }) => id));
});

it.each<[string, Partial<Record<keyof LogRecord | 'severity', unknown>>]>([
  ['an attribute that the schema does not have', { severity: 9 }],
  ['a number where a text belongs', { severityText: 9 }],
  ['a name where the number of an enumeration belongs', { severityNumber: 'INFO' }],
  ['a time with a fraction', { timeUnixNano: '1.5' }],
  ['a trace in base64', { traceId: 'S/kvNXezTaajzpKdDg5HNg==' }],
  ['an attribute whose value has no type', { attributes: [{ key: 'a', value: 'b' }] }],
])('compares with a schema that refuses %s', (_, changed) => {
  const record = { timeUnixNano: '1', severityNumber: 9, severityText: 'INFO', eventName: 'e', attributes: [] };
  const requestOf = (logRecord: object) =>
    ({ resourceLogs: [{ scopeLogs: [{ logRecords: [logRecord] }] }] }) as unknown as Parameters<typeof violation>[0];
  const given = { ...record, attributes: [{ key: 'a', value: { intValue: '9007199254740993' } }] };
  expect(violation(requestOf(given))).toBeUndefined();
  let refused: string | undefined;
  try {
    refused = violation(requestOf({ ...given, ...changed }));
  } catch (error) {
    refused = String(error);
  }
  expect(refused).toEqual(expect.any(String));
});
