// Exports of the audit log as files: from the request to the verified download, and what an erasure leaves of them.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, AuditExport, PublicEvent } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import type { CallOptions, Client, Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { holdfast } from './command-line.fixture.ts';

let shop: Client;
let exporter: Client;
let withoutRight: Client;
let stranger: Client;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-exports-'));
  const [here, there] = await Promise.all([
    newClients({
      shop: {},
      exporter: { kind: 'service', grants: ['audit:read', 'audit:export', 'webhooks:manage'] },
      withoutRight: { kind: 'service', grants: ['audit:read'] },
    }),
    newClients({ stranger: { kind: 'service', grants: ['audit:export'] } }),
  ]);
  ({ shop, exporter, withoutRight } = here);
  stranger = there.stranger;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

const path = (id = '') => `${exporter.api}/admin/audit/exports${id && `/${id}`}`;
const create = async (json: unknown, options: CallOptions = {}, client = exporter) =>
  client.call<AuditExport>('POST', `${client.api}/admin/audit/exports`, { ...options, json });
const get = async (id: string) => (await exporter.call<AuditExport>('GET', path(id))).body;
const ready = async (json: unknown): Promise<AuditExport> => {
  const { status, body } = await create(json);
  expect(status).toBe(202);
  return eventually(async () => {
    const found = await get(body.id);
    expect(found.state).toBe('ready');
    return found;
  });
};
const download = async (id: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${stack.gateways[0]}${path(`${id}/file`)}`, {
    headers: { authorization: `Bearer ${await exporter.token()}`, ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};
const logged = async (action: string) =>
  (await exporter.call<Page<AuditEvent>>('GET', `${exporter.api}/admin/audit/events?action=${action}`)).body.items;

describe('an export', () => {
  it('with proof is downloaded whole and in ranges, and verifies offline; changed copies do not', async () => {
    await newCustomer(shop);
    const made = await ready({ format: 'ndjson', proof: true });
    const { status, headers, bytes } = await download(made.id);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(headers.get('etag')).toBe(`"${made.sha256}"`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-[\w.-]+\.ndjson"$/);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(made.sha256);
    expect(bytes.length).toBe(made.bytes);

    const middle = await download(made.id, { range: 'bytes=100-199', 'if-range': `"${made.sha256}"` });
    expect([middle.status, middle.headers.get('content-range')]).toEqual([206, `bytes 100-199/${made.bytes}`]);
    expect(middle.bytes.equals(bytes.subarray(100, 200))).toBe(true);
    const end = await download(made.id, { range: 'bytes=-50' });
    expect(end.bytes.equals(bytes.subarray(-50))).toBe(true);
    const other = await download(made.id, { range: 'bytes=100-199', 'if-range': '"another"' });
    expect([other.status, other.bytes.length]).toEqual([200, made.bytes]);
    const beyond = await download(made.id, { range: `bytes=${made.bytes}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${made.bytes}`]);
    // The whole file was sent twice; ranges after its first byte are no further downloads.
    expect(await get(made.id)).toMatchObject({ downloads: 2 });

    const { keys } = (await exporter.call<{ keys: string[] }>('GET', `${exporter.api}/admin/audit/keys`)).body;
    const verify = async (content: Buffer | string) => {
      const file = join(folder, randomUUID());
      writeFileSync(file, content);
      return holdfast(['audit', 'verify', file, '--key', keys[0]!]);
    };
    const verified = await verify(bytes);
    expect([verified.code, verified.errors]).toEqual([0, '']);
    const lines = bytes.toString().split('\n');
    expect((await verify([...lines.slice(0, 2), ...lines.slice(3)].join('\n'))).code).toBe(1);
    expect(
      (await verify(bytes.toString().replace('"subject.read"', '"subject.list"').replace('"success"', '"denied"')))
        .code,
    ).not.toBe(0);
    expect((await verify(lines.slice(0, -2).join('\n'))).code).not.toBe(0);

    // Several requests of one file within an hour, of which one was refused.
    expect((await logged('audit.export.download')).map(({ outcome }) => outcome.status)).toEqual([416, 200]);
    expect((await logged('audit.export.create'))[0]).toMatchObject({
      targets: [{ type: 'audit_export', id: made.id }],
      outcome: { result: 'success', status: 202 },
    });
    await eventually(async () => {
      const types = 'audit.export.created,audit.export.ready';
      const { items } = (await exporter.call<Page<PublicEvent>>('GET', `${exporter.api}/admin/events?types=${types}`))
        .body;
      expect(items.map(({ type, data }) => [type, (data as { export: string }).export])).toEqual([
        ['audit.export.created', made.id],
        ['audit.export.ready', made.id],
      ]);
    });
  });

  it('is created once with an Idempotency-Key, and has only what matches, as CSV and OCSF', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const json = { format: 'csv', filter: { action: 'offer.create' } };
    const [first, again] = [await create(json, { headers }), await create(json, { headers })];
    expect(again.body.id).toBe(first.body.id);
    await eventually(async () => expect((await get(first.body.id)).state).toBe('ready'));
    const csv = await download(first.body.id);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.bytes.toString()).toMatch(/^"seq","id",.*\r\n"\d+".*"offer.create"/);
    const ocsf = await ready({ format: 'ocsf', filter: { action: 'offer.create' } });
    const [event] = (await download(ocsf.id)).bytes.toString().split('\n');
    expect(JSON.parse(event!)).toMatchObject({ class_uid: 3004, type_uid: 300_401 });
    const listed = (await exporter.call<Page<AuditExport>>('GET', `${path()}?limit=2`)).body;
    expect(listed.items.map(({ id }) => id)).toEqual([ocsf.id, first.body.id]);
  });

  it('is refused without the right, to other organizations, and with members that do not fit', async () => {
    const { id } = await ready({ format: 'ndjson' });
    const status = async (client: Client, method = 'GET', to = path(id)) => (await client.call(method, to)).status;
    expect(await status(withoutRight)).toBe(403);
    expect(await status(withoutRight, 'GET', path(`${id}/file`))).toBe(403);
    expect(await status(stranger)).toBe(403);
    const own = `${stranger.api}/admin/audit/exports/${id}`;
    for (const [method, to] of [
      ['GET', own],
      ['GET', `${own}/file`],
      ['DELETE', own],
    ] as const)
      expect((await stranger.call<Problem>(method, to)).body.code).toBe('unknown_export');
    for (const json of [
      { format: 'parquet' },
      { format: 'csv', proof: true },
      { format: 'ndjson', proof: true, filter: { action: 'offer.create' } },
      { format: 'ndjson', other: 1 },
    ])
      expect((await create(json)).status).toBe(422);
    expect(await status(exporter, 'DELETE')).toBe(204);
    expect(await get(id)).toMatchObject({ state: 'expired', reason: 'deleted' });
    expect((await exporter.call<Problem>('GET', path(`${id}/file`))).body.code).toBe('invalid_state');
  });

  it('loses its file when a customer is erased, and the record of the erasure names it', async () => {
    const { subject } = await newCustomer(shop);
    const made = await ready({ format: 'ndjson' });
    expect((await download(made.id)).bytes.toString()).toContain(subject);
    expect((await shop.erase(subject)).status).toBe(204);
    expect(await get(made.id)).toMatchObject({ state: 'expired', reason: 'erasure' });
    expect((await download(made.id)).status).toBe(409);
    const [record] = await logged('subject.erase');
    const { newest } = record!.changes!.exports!.to as unknown as { newest: object[] };
    expect(newest[0]).toMatchObject({ id: made.id, downloads: 1, requestedBy: { id: exporter.app.clientId } });
  });
});
