// Destinations of the audit log, from the Admin API to a receiver that verifies as docs/audit-destinations.md says.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditDestination, AuditEvent, CreatedAuditDestination } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import type { Client } from '../client.ts';
import { closeConnections } from '../http.ts';
import { ReceiverServer } from '../receiver-server.fixture.ts';
import { newClients } from '../under-test.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

const received: Received[] = [];
const receiver = new ReceiverServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
});
const entries = () =>
  received.flatMap(({ body }) =>
    body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent & { organization: string }),
  );

let shop: Client;
let exporter: Client;
let auditor: Client;
let stranger: Client;
let path: string;
let created: CreatedAuditDestination;
beforeAll(async () => {
  await receiver.open();
  const [here, there] = await Promise.all([
    newClients({
      shop: {},
      exporter: { kind: 'service', grants: ['audit:export'] },
      auditor: { kind: 'service', grants: ['audit:read'] },
    }),
    newClients({ stranger: { kind: 'service', grants: ['audit:export'] } }),
  ]);
  ({ shop, exporter, auditor } = here);
  stranger = there.stranger;
  path = `${exporter.api}/admin/audit/destinations`;
});
afterAll(async () => {
  await exporter.call('DELETE', `${path}/${created.id}`);
  receiver.close();
  closeConnections();
});

const settings = () => ({ url: receiver.urlOf('/audit') });
const shown = async () => (await exporter.call<AuditDestination>('GET', `${path}/${created.id}`)).body;

describe('a destination of the audit log', () => {
  it('gets the log from its beginning in order, each request signed with a secret that is shown once', async () => {
    for (let i = 0; i < 3; i += 1) expect((await shop.offer()).status).toBe(201);
    const reply = await exporter.call<CreatedAuditDestination>('POST', path, {
      json: { kind: 'https', settings: settings(), after: 0 },
    });
    expect(reply.status).toBe(201);
    created = reply.body;
    await eventually(() => entries().some(({ action }) => action === 'audit_destination.create'));
    const seqs = entries().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect(entries().filter(({ action }) => action === 'offer.create')).toHaveLength(3);
    const key = Buffer.from(created.secret!.slice('whsec_'.length), 'base64');
    for (const { headers, body } of received) {
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    }
    const { body: list } = await exporter.call<{ items: AuditDestination[] }>('GET', path);
    expect(JSON.stringify([list, await shown()])).not.toContain(created.secret!);
    expect(list.items.map(({ id }) => id)).toEqual([created.id]);
  });

  it('gets nothing while it is paused, and everything once it is resumed', async () => {
    expect((await exporter.call('POST', `${path}/${created.id}/pause`)).status).toBe(200);
    const before = entries().length;
    expect((await shop.offer()).status).toBe(201);
    await eventually(async () => (await shown()).lag.entries > 0);
    expect(entries().filter(({ action }) => action === 'audit_destination.pause')).toHaveLength(0);
    expect((await exporter.call('POST', `${path}/${created.id}/resume`)).status).toBe(200);
    await eventually(() => entries().some(({ action }) => action === 'audit_destination.resume'));
    const seqs = entries().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect(entries().length).toBeGreaterThan(before);
  });

  it('is tested without an entry of the log, and its test is recorded', async () => {
    const { body } = await exporter.call<{ delivered: boolean }>('POST', `${path}/${created.id}/test`);
    expect(body).toEqual({ delivered: true });
    await eventually(() => entries().filter(({ action }) => action === 'audit_destination.test').length === 2);
  });

  it('is not for an app without the right, and unknown to another organization', async () => {
    for (const [method, at] of [
      ['GET', path],
      ['POST', path],
      ['DELETE', `${path}/${created.id}`],
    ] as const) {
      const denied = await auditor.call(method, at, method === 'POST' ? { json: {} } : {});
      expect([denied.status, denied.body.code]).toEqual([403, 'insufficient_scope']);
    }
    const elsewhere = await stranger.call('GET', `${stranger.api}/admin/audit/destinations/${created.id}`);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'unknown_destination']);
    expect(entries().every(({ organization }) => organization === exporter.app.org)).toBe(true);
  });

  it('cannot be an address inside of the network', async () => {
    for (const url of ['https://169.254.169.254/latest', 'https://127.0.0.1/x', 'https://nats.internal/x']) {
      const { status, body } = await exporter.call('POST', path, { json: { kind: 'https', settings: { url } } });
      expect([status, body.errors]).toMatchObject([422, [{ pointer: '#/settings/url' }]]);
    }
  });
});
