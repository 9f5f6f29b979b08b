// Readers of the stream of entries on NATS, with their own credentials, as docs/audit-readers.md says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import type { AuditEvent } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { root } from '../stack/stack.ts';

interface Created {
  id: string;
  stream: string;
  consumer: string;
  domain: string;
  inboxPrefix: string;
  seed: string;
}

const cli = (...args: string[]) => ['audit', 'reader', ...args, '--file', join(stack.home, 'secrets.json')];
const create = (...args: string[]) => stack.operator<Created>(...cli('create', ...args));
const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/** Pulls its entries as the documentation shows, with the credentials of the reader and nothing else. */
class Reader {
  readonly subjects: string[] = [];
  readonly events: AuditEvent[] = [];
  disconnects = 0;
  readonly violations: PermissionViolationError[] = [];
  readonly created: Created;
  readonly connection: NatsConnection;

  private constructor(created: Created, connection: NatsConnection) {
    this.created = created;
    this.connection = connection;
    void (async () => {
      for await (const status of connection.status())
        if (status.type === 'disconnect') this.disconnects += 1;
        else if (status.type === 'error' && status.error instanceof PermissionViolationError)
          this.violations.push(status.error);
    })();
  }

  static async connect(created: Created): Promise<Reader> {
    const connection = await connect({
      servers: stack.launcher.natsUrl,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(created.seed)),
      inboxPrefix: created.inboxPrefix,
      ignoreAuthErrorAbort: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
    });
    return new Reader(created, connection);
  }

  get seqs(): number[] {
    return this.events.map(({ seq }) => seq);
  }

  /** Reads until it is stopped. */
  async consume(): Promise<() => Promise<unknown>> {
    const { stream, consumer, domain } = this.created;
    const messages = await (await jetstream(this.connection, { domain }).consumers.get(stream, consumer)).consume();
    void (async () => {
      for await (const message of messages) {
        this.subjects.push(message.subject);
        this.events.push(message.json<AuditEvent>());
        expect(message.headers?.get('Holdfast-Seq')).toBe(String(this.events.at(-1)!.seq));
        message.ack();
      }
    })();
    return () => messages.close();
  }
}

/** The command as a process of its own. */
class TailOfAll {
  readonly #printed: { organization: string; seq: number }[] = [];
  readonly #process = spawn(
    process.execPath,
    [join(root, 'apps', 'cli', 'dist', 'main.js'), 'audit', 'tail', '--all', '--json'],
    {
      env: cleanEnvironment({
        NATS_URL: stack.launcher.natsUrl,
        NATS_NKEY_SEED: stack.secrets.NATS_NKEY_SEED_OPERATOR!,
        BASE_URL: stack.baseUrl,
      }),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  readonly #ended = once(this.#process, 'exit');

  constructor() {
    const lines = createInterface(this.#process.stdout);
    lines.on('line', (line) => this.#printed.push(JSON.parse(line) as { organization: string; seq: number }));
  }

  seqsOf(org: string): number[] {
    return this.#printed.flatMap(({ organization, seq }) => (organization === org ? [seq] : []));
  }

  /** Presses Ctrl-C. @returns exit code and signal */
  interrupted(): Promise<unknown[]> {
    this.#process.kill('SIGINT');
    return this.#ended;
  }
}

let shop: Client;
let stranger: Client;
let ofOrg: Reader;
let other: Created;
let ofAll: Reader;
beforeAll(async () => {
  const [here, there] = await Promise.all([newClients({ shop: {} }), newClients({ stranger: {} })]);
  shop = here.shop;
  stranger = there.stranger;
  const own = await create('--org', shop.app.org, '--after', '0');
  other = await create('--org', stranger.app.org);
  const all = await create('--all');
  await stack.control('reload', 'nats');
  ofOrg = await eventually(() => Reader.connect(own));
  ofAll = await eventually(() => Reader.connect(all));
});
afterAll(async () => {
  await stack.operator(...cli('delete', ofAll.created.id, '--all'));
  await stack.operator(...cli('delete', other.id, '--org', stranger.app.org));
  await stack.control('reload', 'nats');
  await Promise.all([ofOrg, ofAll].map(({ connection }) => connection.close()));
  closeConnections();
});

const tail = async (...args: string[]) => {
  const { stdout } = await stack.printed('audit', 'tail', ...args, '--no-follow', '--json');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEvent & { organization?: string });
};

describe('a reader of an organization', () => {
  it('gets each entry once, in order, while audit and NATS are killed; so does "audit tail --all"', async () => {
    const stop = await ofOrg.consume();
    const tailed = new TailOfAll();
    // Until it has read the ends of the logs.
    await eventually(async () => {
      await shop.offer();
      expect(tailed.seqsOf(shop.app.org).length).toBeGreaterThan(0);
    });
    for (const killed of [undefined, 'audit', 'nats', undefined]) {
      if (killed !== undefined) await stack.control('kill', killed);
      for (let i = 0; i < 5; i += 1) await eventually(async () => expect((await shop.offer()).status).toBe(201));
    }
    const items = await eventually(() => tail(shop.app.org, '--since', '1'));
    await eventually(() => expect(ofOrg.events.length).toBeGreaterThanOrEqual(items.length));
    await eventually(() => expect(tailed.seqsOf(shop.app.org)).toContain(items.length));
    const seqs = tailed.seqsOf(shop.app.org);
    expect(seqs).toEqual(range(seqs[0]!, seqs.length));
    expect(await tailed.interrupted()).toEqual([0, null]);
    await stop();
    expect(ofOrg.seqs).toEqual(range(1, ofOrg.seqs.length));
    expect(ofOrg.events.filter(({ action }) => action === 'offer.create').length).toBeGreaterThanOrEqual(20);
    expect(ofOrg.events.slice(0, items.length)).toEqual(items);
    expect(ofOrg.subjects.filter((subject) => !subject.startsWith(`audit.entry.${shop.app.org}.`))).toEqual([]);
  });

  it('may do nothing but pull from its own consumer and acknowledge', async () => {
    const { connection, violations, created } = ofOrg;
    const publish = [
      ...['STREAM.INFO.AUDIT', 'STREAM.MSG.GET.AUDIT', 'STREAM.PURGE.AUDIT', 'STREAM.DELETE.AUDIT', 'INFO'],
      ...['DIRECT.GET.AUDIT', 'CONSUMER.LIST.AUDIT', 'CONSUMER.NAMES.AUDIT', 'CONSUMER.CREATE.AUDIT.mine'],
      ...['CONSUMER.DURABLE.CREATE.AUDIT.mine', `CONSUMER.CREATE.AUDIT.${created.id}`],
      ...[`CONSUMER.DELETE.AUDIT.${created.id}`, `CONSUMER.DURABLE.CREATE.AUDIT.${created.id}`],
      ...[other.id, ofAll.created.id].map((id) => `CONSUMER.MSG.NEXT.AUDIT.${id}`),
      ...[`CONSUMER.INFO.AUDIT.${other.id}`, 'CONSUMER.MSG.NEXT.ISSUANCE.audit', 'CONSUMER.INFO.ISSUANCE.audit'],
    ].flatMap((api) => [`$JS.API.${api}`, `$JS.${created.domain}.API.${api}`]);
    publish.push(`$JS.ACK.AUDIT.${other.id}.1.1.1.1.0`, `audit.entry.${shop.app.org}.offer.create`);
    publish.push(
      'evt.issuance.x',
      'rpc.audit.list-events',
      'feed.audit.logs',
      `${other.inboxPrefix}.x`,
      '_INBOX_audit.x',
    );
    const subscribe = ['>', '*.>', 'audit.>', `audit.entry.${shop.app.org}.>`, 'evt.>', 'rpc.>', 'feed.>', '$JS.>'];
    subscribe.push('_INBOX.>', '_INBOX_*.>', `${other.inboxPrefix}.>`, '_INBOX_audit.>');
    for (const subject of publish) connection.publish(subject, '{}');
    for (const subject of subscribe) connection.subscribe(subject, { callback: () => undefined });
    await eventually(() => expect(violations.length).toBeGreaterThanOrEqual(publish.length + subscribe.length));
    const subjects = (operation: string) => violations.filter((v) => v.operation === operation).map((v) => v.subject);
    expect(publish.filter((subject) => !subjects('publish').includes(subject))).toEqual([]);
    expect(subscribe.filter((subject) => !subjects('subscription').includes(subject))).toEqual([]);
  });

  it('is listed with what it has not read, and reads again after a rewind', async () => {
    const { id } = ofOrg.created;
    const list = () =>
      stack.operator<{ id: string; pending: number }[]>('audit', 'reader', 'list', '--org', shop.app.org);
    expect(await list()).toEqual([expect.objectContaining({ id })]);
    ofOrg.events.length = 0;
    await stack.operator('audit', 'reader', 'rewind', id, '--org', shop.app.org, '--after', '3');
    const stop = await ofOrg.consume();
    const rewound = ({ action }: AuditEvent) => action === 'audit_reader.rewind';
    await eventually(() => expect(ofOrg.events.some(rewound)).toBe(true));
    await stop();
    expect(ofOrg.seqs).toEqual(range(4, ofOrg.seqs.length));
    const made = ofOrg.events.filter(({ targets }) => targets.some((target) => target.id === id));
    expect(made.map(({ action, actor }) => [action, actor.type])).toEqual([['audit_reader.rewind', 'operator']]);
    const { stderr, exitCode } = await stack.printed(
      'audit',
      'reader',
      'rewind',
      id,
      '--org',
      stranger.app.org,
      '--after',
      '0',
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/no such reader/)]);
  });

  it('gets nothing once it is deleted, and is disconnected when nats-server has the users', async () => {
    const { id, domain } = ofOrg.created;
    const stop = await ofOrg.consume();
    await stack.operator(...cli('delete', id, '--org', shop.app.org));
    const { length } = ofOrg.events;
    expect((await shop.offer()).status).toBe(201);
    const newest = (await tail(shop.app.org, '--lines', '1')).at(-1)!.seq;
    expect(newest).toBeGreaterThan(0);
    await expect(jetstream(ofOrg.connection, { domain }).consumers.get('AUDIT', id)).rejects.toThrow(
      /consumer not found/i,
    );
    expect(ofOrg.events.length).toBe(length);
    await stop();
    const { disconnects: before } = ofOrg;
    await stack.control('reload', 'nats');
    await eventually(() => expect(ofOrg.disconnects).toBeGreaterThan(before));
    await eventually(() => expect(Reader.connect(ofOrg.created)).rejects.toThrow(/authorization/i));
  });
});

describe('a reader of all organizations', () => {
  it('gets what is appended to each from its creation on, also to one that is created later', async () => {
    const stop = await ofAll.consume();
    const later = await newClients({ shop: {} });
    const { org } = later.shop.app;
    expect((await later.shop.offer()).status).toBe(201);
    const seqs = () =>
      ofAll.events.flatMap(({ seq }, i) => (ofAll.subjects[i]!.startsWith(`audit.entry.${org}.`) ? [seq] : []));
    const { length } = await eventually(() => tail(org, '--since', '1'));
    await eventually(() => expect(seqs().length).toBeGreaterThanOrEqual(length));
    await stop();
    expect(seqs()).toEqual(range(1, seqs().length));
  });
});

describe('holdfast audit tail --all', () => {
  it('accepts a time, and no seq', async () => {
    const { exitCode, stderr } = await stack.printed('audit', 'tail', '--all', '--since', '7');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no common seq')]);
    const all = await tail('--all', '--since', new Date(Date.now() - 5000).toISOString());
    expect(new Set(all.map(({ organization }) => organization)).size).toBeGreaterThan(1);
  });
});
