// Every kind of destination, with receivers that answer as the documentation of the real ones says.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, NewDestination } from '@holdfast/contracts';
import { eventually, freePort, newTestFolder, TestAuthority } from '@holdfast/testing';
import { DestinationsStack } from '../destinations-stack.fixture.js';
import { Receiver, status, type ReceivedRequest, type Respond } from '../receiver.fixture.js';

const receiver = new Receiver();
const rsyslogd = '/usr/sbin/rsyslogd';
const hasRsyslog = existsSync(rsyslogd);
let stack: DestinationsStack;
let authority: TestAuthority;
let syslogServer: SyslogServer;
let rsyslogPort: number;
beforeAll(async () => {
  await receiver.open();
  authority = await TestAuthority.create();
  syslogServer = await SyslogServer.open(await authority.issue('localhost'));
  rsyslogPort = await freePort();
  const allow = [receiver.origin, ...[syslogServer.port, rsyslogPort].map((port) => `https://localhost:${port}`)];
  stack = await DestinationsStack.start(allow);
});
afterAll(async () => {
  await stack.stop();
  receiver.close();
  syslogServer.close();
});

interface OtlpLogs {
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: string } }] }] }];
}
type Given = Omit<NewDestination, 'format'> & { format?: 'native' | 'ocsf' };
const newOrg = () => `org-${randomUUID().slice(0, 8)}`;
const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
const create = (org: string, kind: string, settings: object, more: object = {}) =>
  stack.create(org, { kind, after: 0, settings, ...more } as unknown as Given);
const jsonLines = (body: string) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
/** Each receiver of a test has a path of its own. */
const baseOf = (org: string) => `${receiver.origin}/${org}`;
const entry = (org: string, event: AuditEvent) => ({ organization: org, ...event });

describe('Splunk', () => {
  const at = (org: string) => receiver.at(`/${org}/services/collector/event`);
  const answer = (org: string, ...answers: Respond[]) =>
    receiver.answer(`/${org}/services/collector/event`, ...answers);
  const credentials = { token: 'B5A79AAD-D822-46CC-80D1-819F80D7BFB0' };

  it('gets events with time, source, index and indexed fields, and a channel for acknowledgements', async () => {
    const org = newOrg();
    answer(org, status(200, { text: 'Success', code: 0 }));
    const [first] = stack.append(org, 2);
    const { id } = await create(org, 'splunk_hec', { url: baseOf(org), index: 'audit' }, { credentials });
    await stack.caughtUp(org, id);
    const [{ headers, body } = { headers: {}, body: '' }] = at(org);
    expect(headers).toMatchObject({ authorization: `Splunk ${credentials.token}`, 'x-splunk-request-channel': id });
    const [event] = jsonLines(body);
    expect(event).toEqual({
      time: new Date(first!.occurredAt).getTime() / 1000,
      host: 'localhost',
      source: 'holdfast',
      sourcetype: 'holdfast:audit',
      index: 'audit',
      event: entry(org, first!),
      fields: { organization: org, seq: 1 },
    });
  });

  it('that is busy, and then refuses the token, gets everything in order once the token is replaced', async () => {
    const org = newOrg();
    answer(
      org,
      status(503, { text: 'Server is busy', code: 9 }),
      status(403, { text: 'Invalid token', code: 4 }),
      status(200, { text: 'Success', code: 0 }),
    );
    stack.append(org, 5);
    const { id } = await create(org, 'splunk_hec', { url: baseOf(org) }, { credentials });
    const busy = await stack.retryAfterFailure(org, id);
    expect(busy.lastError!.detail).toBe('the receiver responded with status 503: it has a fault of its own.');
    const refused = await stack.retryAfterFailure(org, id, 2);
    expect(refused.lastError!.detail).toBe(
      'the receiver responded with status 403: it refuses the credentials: ' +
        'replace them, or give them the right to write.',
    );
    await stack.caughtUp(org, id);
    expect(jsonLines(at(org).at(-1)!.body).map(({ fields }) => (fields as { seq: number }).seq)).toEqual(from(1, 5));
    expect(JSON.stringify(refused)).not.toContain(credentials.token);
  });
});

describe('Elasticsearch', () => {
  const credentials = { apiKey: 'VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==' };
  /** Documents as an index has them: `create` of an id that exists is a conflict. */
  const documents = new Map<string, Record<string, unknown>>();
  const outcomes = ({ body }: ReceivedRequest, refuse: (seq: number) => [number, string] | undefined) => {
    const lines = jsonLines(body);
    const items = from(0, lines.length / 2).map((i) => {
      const { _id: id } = (lines[2 * i] as { create: { _index: string; _id: string } }).create;
      const document = lines[2 * i + 1]!;
      const [code, type] = refuse(Number(document.seq)) ?? [
        documents.has(id) ? 409 : 201,
        'version_conflict_engine_exception',
      ];
      if (code === 201) documents.set(id, document);
      const error = { type, reason: `[${id}]: of node 10.1.2.3` };
      return { create: { _index: 'audit', _id: id, status: code, ...(code >= 300 && { error }) } };
    });
    return { took: 3, errors: items.some(({ create: one }) => one.status >= 300), items };
  };
  const bulk =
    (refuse: (seq: number) => [number, string] | undefined = () => undefined): Respond =>
    (request, response) =>
      void response.writeHead(200).end(JSON.stringify(outcomes(request, refuse)));
  const stored = (org: string) =>
    [...documents.values()].filter(({ organization }) => organization === org).map(({ seq }) => seq as number);
  const start = async (org: string, ...answers: Respond[]) => {
    receiver.answer(`/${org}/_bulk`, ...answers);
    return (await create(org, 'elasticsearch', { url: baseOf(org), index: 'audit' }, { credentials })).id;
  };

  it('gets documents that it throttles again, and each once, whatever is repeated', async () => {
    const org = newOrg();
    stack.append(org, 20);
    const throttled = bulk((seq) => (seq === 8 || seq === 15 ? [429, 'es_rejected_execution_exception'] : undefined));
    const id = await start(org, throttled, bulk());
    const failed = await stack.retryAfterFailure(org, id);
    expect(failed).toMatchObject({ after: 7, sent: 7 });
    expect(failed.lastError!.detail).toBe(
      'the receiver could not store some entries (status 429, es_rejected_execution_exception).',
    );
    expect(await stack.caughtUp(org, id)).toMatchObject({ sent: 20, rejected: 0 });
    expect(stored(org).sort((a, b) => a - b)).toEqual(from(1, 20));
    expect(receiver.at(`/${org}/_bulk`)[0]!.headers.authorization).toBe(`ApiKey ${credentials.apiKey}`);
  });

  it('that refuses one document for its mapping gets all others, and the refusal is counted', async () => {
    const org = newOrg();
    stack.append(org, 5);
    const id = await start(
      org,
      bulk((seq) => (seq === 3 ? [400, 'document_parsing_exception'] : undefined)),
    );
    const shown = await stack.caughtUp(org, id);
    expect(shown).toMatchObject({
      sent: 4,
      rejected: 1,
      lastRejection: 'the receiver refused it with status 400 (document_parsing_exception)',
    });
    expect(stored(org)).toEqual([1, 2, 4, 5]);
    expect(JSON.stringify(shown)).not.toContain('10.1.2.3');
  });

  it('at a wrong address confirms nothing by a page with status 200', async () => {
    const org = newOrg();
    stack.append(org, 1);
    const id = await start(org, status(200, '<html>Welcome</html>'), bulk());
    const failed = await stack.retryAfterFailure(org, id);
    expect(failed.lastError!.detail).toBe(
      'the response of the receiver is not that of the bulk API: compare the address.',
    );
    await stack.caughtUp(org, id);
    expect(stored(org)).toEqual([1]);
  });
});

describe('Datadog', () => {
  it('gets logs with service and tags, and again what it could not accept', async () => {
    const org = newOrg();
    const at = `/${org}/api/v2/logs`;
    const errors = { errors: [{ status: '429', title: 'Too many requests' }] };
    receiver.answer(at, status(429, errors), status(408), status(202, {}));
    const events = stack.append(org, 3);
    const settings = { url: baseOf(org), tags: 'env:test' };
    const { id } = await create(org, 'datadog', settings, { credentials: { apiKey: 'dd-api-key-1' }, format: 'ocsf' });
    await stack.retryAfterFailure(org, id);
    await stack.retryAfterFailure(org, id, 2);
    await stack.caughtUp(org, id);
    const { headers, body } = receiver.at(at).at(-1)!;
    expect(headers['dd-api-key']).toBe('dd-api-key-1');
    const logs = JSON.parse(body) as { message: string }[];
    expect(logs[0]).toMatchObject({
      ddsource: 'holdfast',
      ddtags: `organization:${org},env:test`,
      hostname: 'localhost',
      service: 'holdfast',
    });
    const messages = logs.map(({ message }) => JSON.parse(message) as { metadata: object; class_uid: number });
    expect(messages).toMatchObject(
      events.map(({ id: uid, seq }) => ({ class_uid: 3004, metadata: { uid, sequence: seq } })),
    );
  });
});

describe('OpenTelemetry', () => {
  it('gets log records in the JSON encoding of OTLP, and those that it rejects are counted, not repeated', async () => {
    const org = newOrg();
    const partial = { partialSuccess: { rejectedLogRecords: '2', errorMessage: 'too old, says 10.1.2.3' } };
    receiver.answer(`/${org}/v1/logs`, status(200, {}), status(503, '', { 'retry-after': '1' }), status(200, partial));
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const denied: Partial<AuditEvent> = {
      outcome: { result: 'denied', status: 403, code: 'insufficient_scope' },
      request: { id: 'request-1', traceparent, method: 'GET', route: '/o/{shortId}/api' },
    };
    const [event] = stack.append(org, 1, denied);
    const settings = { url: `${baseOf(org)}/v1/logs` };
    const credentials = { headers: { authorization: 'Bearer abc' } };
    const { id } = await create(org, 'otlp_http', settings, { credentials });
    await stack.caughtUp(org, id);
    stack.append(org, 5);
    await stack.retryAfterFailure(org, id);
    const shown = await stack.caughtUp(org, id);
    expect(shown).toMatchObject({ sent: 4, rejected: 2 });
    expect(JSON.stringify(shown)).not.toContain('10.1.2.3');
    const [{ headers, body } = { headers: {}, body: '{}' }, ...others] = receiver.at(`/${org}/v1/logs`);
    expect(others).toHaveLength(2);
    expect(headers).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json' });
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const [{ scopeLogs }] = (JSON.parse(body) as OtlpLogs).resourceLogs;
    expect(JSON.parse(scopeLogs[0].logRecords[0].body.stringValue)).toEqual(entry(org, event!));
    expect(JSON.parse(body)).toEqual({
      resourceLogs: [
        {
          resource: { attributes: [text('service.name', 'holdfast'), text('holdfast.organization', org)] },
          scopeLogs: [
            {
              scope: { name: 'holdfast.audit' },
              logRecords: [
                {
                  // 64-bit integers are decimal strings (proto3 JSON), ids are hex.
                  timeUnixNano: `${new Date(event!.occurredAt).getTime()}000000`,
                  observedTimeUnixNano: expect.stringMatching(/^\d{19}$/),
                  severityNumber: 13,
                  severityText: 'WARN',
                  eventName: 'holdfast.audit.credential.suspend',
                  body: { stringValue: expect.any(String) },
                  attributes: [
                    text('holdfast.audit.id', event!.id),
                    { key: 'holdfast.audit.seq', value: { intValue: '1' } },
                    text('holdfast.audit.action', 'credential.suspend'),
                    text('holdfast.audit.outcome', 'denied'),
                    text('holdfast.audit.actor.type', 'app'),
                    text('holdfast.audit.actor.id', 'app-1'),
                  ],
                  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                  spanId: '00f067aa0ba902b7',
                },
              ],
            },
          ],
        },
      ],
    });
  });
});

describe('syslog over TLS', () => {
  const caCertificate = () => readFileSync(authority.caFile, 'utf8');
  const settings = () => ({ host: 'localhost', port: syslogServer.port, caCertificate: caCertificate() });

  it('gets messages of RFC 5424 with octet counting, in order', async () => {
    const org = newOrg();
    const [first] = stack.append(org, 300);
    const { id } = await create(org, 'syslog', settings());
    await stack.caughtUp(org, id);
    const messages = syslogServer.messagesOf(org);
    expect(messages.map((message) => (JSON.parse(message.slice(message.indexOf('{'))) as AuditEvent).seq)).toEqual(
      from(1, 300),
    );
    const header = messages[0]!.slice(0, messages[0]!.indexOf('{'));
    expect(header).toBe(
      `<110>1 ${first!.occurredAt} localhost holdfast ${org} credential.suspend [meta sequenceId="1"] `,
    );
    expect(JSON.parse(messages[0]!.slice(header.length))).toEqual(entry(org, first!));
  });

  it('gets one message for each entry, whatever its values contain', async () => {
    const org = newOrg();
    const values = [
      'a"]\n<110>1 - - - - - - forged',
      '\r\n12 <1>1 forged',
      '\u0000\u0007\u001b[2J\u007f\u009b31m',
      '\u2028\u2029\u0085',
      '𝕏 \u{1f600} ü ﷺ'.repeat(50),
      '\ud800 alone',
    ];
    for (const name of values) stack.append(org, 1, { actor: { type: 'app', id: 'app-1', name } });
    const { id } = await create(org, 'syslog', settings());
    await stack.caughtUp(org, id);
    const messages = syslogServer.messagesOf(org);
    expect(messages).toHaveLength(values.length);
    for (const [i, message] of messages.entries()) {
      expect(message).toMatch(/^<110>1 \S+ localhost holdfast \S+ credential\.suspend \[meta sequenceId="\d+"\] \{/);
      expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      const { actor } = JSON.parse(message.slice(message.indexOf('{'))) as AuditEvent;
      expect(actor.name).toBe(values[i]);
    }
  });

  it('that breaks the connection gets the batch again', async () => {
    const org = newOrg();
    stack.append(org, 3);
    syslogServer.breakNext = true;
    const { id } = await create(org, 'syslog', settings());
    const failed = await stack.retryAfterFailure(org, id);
    expect(failed).toMatchObject({ after: 0 });
    await stack.caughtUp(org, id);
    expect(syslogServer.messagesOf(org)).toHaveLength(3);
  });

  it('with a certificate of another authority gets nothing', async () => {
    const org = newOrg();
    const other = await TestAuthority.create();
    stack.append(org, 1);
    const { id } = await create(org, 'syslog', { ...settings(), caCertificate: readFileSync(other.caFile, 'utf8') });
    await stack.retryAfterFailure(org, id);
    expect(syslogServer.messagesOf(org)).toEqual([]);
  });

  it.each([
    ['this machine', '127.0.0.1', 6514],
    ['the metadata service', '169.254.169.254', 6514],
    ['a name inside of a network', 'syslog.internal', 6514],
    ['another port', 'syslog.example', 22],
  ])('is refused at an address that must not be called: %s', async (_, host, port) => {
    await expect(create(newOrg(), 'syslog', { host, port })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '#/settings/host', detail: expect.stringMatching(/^address not allowed/) }],
    });
  });

  // Debian's package rsyslog-gnutls; elsewhere the server above stands for it.
  (hasRsyslog ? it : it.skip)('gets every entry when it is a real rsyslogd', async () => {
    const folder = newTestFolder('rsyslog');
    const { certFile, keyFile } = await authority.issue('localhost');
    const file = join(folder, 'messages');
    writeFileSync(join(folder, 'rsyslog.conf'), rsyslogConfig(folder, file, certFile, keyFile));
    const server = spawn(rsyslogd, ['-n', '-i', join(folder, 'pid'), '-f', join(folder, 'rsyslog.conf')], {
      stdio: 'ignore',
    });
    try {
      await eventually(() => isListening(rsyslogPort));
      const org = newOrg();
      stack.append(org, 500);
      const { id } = await create(org, 'syslog', { ...settings(), port: rsyslogPort });
      await stack.caughtUp(org, id);
      const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
      await eventually(() => existsSync(file) && lines().length === 500);
      expect(lines().map((line) => line.split(' ').slice(0, 4))).toEqual(
        from(1, 500).map((seq) => ['holdfast', org, 'credential.suspend', `[meta sequenceId="${seq}"]`.split(' ')[0]]),
      );
      const seqs = lines().map((line) => (JSON.parse(line.slice(line.indexOf('{'))) as AuditEvent).seq);
      expect(seqs).toEqual(from(1, 500));
    } finally {
      server.kill('SIGKILL');
    }
  });

  function rsyslogConfig(folder: string, file: string, certFile: string, keyFile: string): string {
    return `
global(workDirectory="${folder}" maxMessageSize="64k" defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${authority.caFile}" defaultNetstreamDriverCertFile="${certFile}"
  defaultNetstreamDriverKeyFile="${keyFile}")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="entry" type="string" string="%app-name% %procid% %msgid% %structured-data% %msg%\\n")
input(type="imtcp" port="${rsyslogPort}" address="127.0.0.1")
action(type="omfile" file="${file}" template="entry")
`;
  }
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Reads frames of RFC 6587 §3.4.1 over TLS. */
class SyslogServer {
  breakNext = false;
  private readonly messages: string[] = [];
  private readonly connections: Socket[] = [];

  static async open({ certFile, keyFile }: { certFile: string; keyFile: string }): Promise<SyslogServer> {
    const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return new SyslogServer(server);
  }

  private constructor(private readonly server: Server) {
    server.on('secureConnection', (socket) => this.read(socket));
    server.on('connection', (socket: Socket) => this.connections.push(socket));
    server.on('tlsClientError', () => undefined);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  messagesOf(org: string): string[] {
    return this.messages.filter((message) => message.includes(` holdfast ${org} `));
  }

  close(): void {
    this.server.close();
  }

  private read(socket: TLSSocket): void {
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined);
    if (this.breakNext) {
      this.breakNext = false;
      socket.once('data', () => this.connections.at(-1)!.resetAndDestroy());
      return;
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      for (let rest = Buffer.concat(chunks); rest.length > 0;) {
        const space = rest.indexOf(' ');
        const end = space + 1 + Number(rest.subarray(0, space).toString());
        this.messages.push(rest.subarray(space + 1, end).toString());
        rest = rest.subarray(end);
      }
    });
  }
}
