// Destinations of the audit log, from the Admin API to a receiver that verifies as docs/audit-destinations.md says.
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditDestination, AuditEvent, CreatedAuditDestination } from '@holdfast/contracts';
import { eventually, newTestFolder } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { ReceiverServer } from '../clients/receiver-server.fixture.ts';
import { newClients, stack } from '../clients/under-test.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const received: Received[] = [];
const receiver = new ReceiverServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ path: request.url!, headers: request.headers, body });
    response.writeHead(204).end();
  });
});
const entries = (path = '/audit') =>
  received
    .filter((request) => request.path === path)
    // As the libraries of Standard Webhooks read it: the body is one JSON text.
    .flatMap(({ body }) => JSON.parse(body) as (AuditEvent & { organization: string })[]);

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
    expect(list.items.map(({ id, maker }) => [id, maker?.id])).toEqual([[created.id, exporter.app.clientId]]);
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

describe('holdfast audit destination', () => {
  const run = async (...args: string[]) => {
    const { exitCode, stdout } = await stack.printed('audit', 'destination', ...args);
    return { exitCode, stdout };
  };
  const file = join(newTestFolder('destination'), 'destination.json');

  it('manages destinations of all organizations, which get the log of one that is created later', async () => {
    writeFileSync(file, JSON.stringify({ kind: 'https', settings: { url: receiver.urlOf('/all') } }));
    const { stdout } = await run('create', '--all', '--file', file, '--json');
    const { id, secret } = JSON.parse(stdout) as CreatedAuditDestination;
    expect(secret).toMatch(/^whsec_/);
    const org = await stack.newOrganization();
    const seqs = () => entries('/all').flatMap((entry) => (entry.organization === org ? [entry.seq] : []));
    await eventually(() => expect(seqs()[0]).toBe(1));
    expect((await run('test', id, '--all')).exitCode).toBe(0);
    expect((await run('pause', id, '--all')).stdout).toMatch(/State +paused/);
    expect((await run('rewind', id, '--all', '--after', '0')).exitCode).toBe(0);
    const listed = (await run('list', '--all')).stdout;
    expect(listed).toMatch(new RegExp(`${id} +https +paused`));
    expect(listed).not.toContain(secret!);
    expect((await run('resume', id, '--all')).exitCode).toBe(0);
    await eventually(() => expect(seqs().filter((seq) => seq === 1).length).toBeGreaterThan(1));
    expect((await run('delete', id, '--all')).exitCode).toBe(0);
    expect((await run('show', id, '--all')).exitCode).toBe(1);
  });

  it('manages those of one organization, recorded as the operator, and says what is wrong with a file', async () => {
    const { org } = exporter.app;
    expect((await run('list', '--org', org)).stdout).toContain(created.id);
    await eventually(() =>
      entries().some(({ action, actor }) => action === 'audit_destination.list' && actor.type === 'operator'),
    );
    writeFileSync(file, JSON.stringify({ kind: 'splunk_hec', settings: { url: 'https://10.0.0.1' } }));
    expect((await run('create', '--org', org, '--file', file)).exitCode).toBe(1);
    expect((await run('list', '--org', 'no-such-organization')).exitCode).toBe(1);
    expect((await run('list')).exitCode).toBe(1);
    expect((await run('list', '--org', org, '--all')).exitCode).toBe(1);
  });
});
