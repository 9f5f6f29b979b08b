// Webhooks, from the Admin API to a receiver that nobody here wrote.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { PublicEvent, WebhookDeliveryHistory, WebhookEndpoint, WebhookMessage } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { FeedReader } from '../chaos/feed-reader.ts';
import { callApi, type Client, type Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { ReceiverServer } from '../clients/receiver-server.fixture.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Created = WebhookEndpoint & { secret: string };

const received: Received[] = [];
let answer: (response: ServerResponse) => void;
const receiver = new ReceiverServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ path: request.url!, headers: request.headers, body });
    answer(response);
  });
});
const confirm = (response: ServerResponse) => void response.writeHead(204).end();

let shop: Client;
let integrator: Client;
let reader: Client;
let stranger: Client;
let path: string;
let endpoints: string;
beforeAll(async () => {
  await receiver.open();
  const [here, there] = await Promise.all([
    newClients({
      shop: {},
      integrator: { kind: 'service', grants: ['webhooks:manage'] },
      reader: { kind: 'service', grants: ['audit:read'] },
    }),
    newClients({ stranger: { kind: 'service', grants: ['webhooks:manage'] } }),
  ]);
  ({ shop, integrator, reader } = here);
  stranger = there.stranger;
  endpoints = `${integrator.api}/admin/webhooks/endpoints`;
});
afterEach(async () => {
  const { body } = await integrator.call<{ items: WebhookEndpoint[] }>('GET', endpoints);
  for (const { id } of body.items) await integrator.call('DELETE', `${endpoints}/${id}`);
});
afterAll(() => {
  receiver.close();
  closeConnections();
});
beforeEach(() => {
  answer = confirm;
  path = `/${randomUUID()}`;
});

const create = async (endpoint: object = {}) => {
  const reply = await integrator.call<Created>('POST', endpoints, { json: { url: receiver.urlOf(path), ...endpoint } });
  expect(reply.status).toBe(201);
  return reply.body;
};
const at = (where = path) => received.filter((request) => request.path === where);
const messagesAt = (where = path) =>
  at(where).map(({ body }) => JSON.parse(body) as { id: string; type: string; subject: string });
const get = async (id: string) => (await integrator.call<WebhookEndpoint>('GET', `${endpoints}/${id}`)).body;
const historyOf = async (message: string) =>
  (
    await integrator.call<{ deliveries: WebhookDeliveryHistory[] }>(
      'GET',
      `${integrator.api}/admin/webhooks/messages/${message}/attempts`,
    )
  ).body.deliveries;

describe('a webhook endpoint', () => {
  it('gets every event of the feed as the feed has it, each signed, and nothing of another organization', async () => {
    const { secret } = await create();
    const ofStranger = await stranger.call<Created>('POST', `${stranger.api}/admin/webhooks/endpoints`, {
      json: { url: receiver.urlOf(`${path}/stranger`) },
    });
    const { subject } = await newCustomer(shop);
    const events = await eventually(async () => {
      const found = (await new FeedReader(integrator).read()).filter(({ data }) => data.subject === subject);
      return found.length === 2 && found;
    });
    await eventually(() => messagesAt().filter((message) => message.subject === subject).length >= 2);
    const messages = at().map(({ headers, body }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
    );
    const ofCustomer = messages.filter((message) => (message as { subject: string }).subject === subject);
    expect(ofCustomer).toEqual(
      expect.arrayContaining(
        events.map(({ id, type, occurredAt: time, version, data }: PublicEvent) =>
          expect.objectContaining({ specversion: '1.0', id, type, time, version, data }),
        ),
      ),
    );
    const { source } = messages[0] as { source: string };
    expect(source).toMatch(new RegExp(`^https?://[^/]+/o/${integrator.app.org}$`));
    expect(at(`${path}/stranger`)).toEqual([]);
    await stranger.call('DELETE', `${stranger.api}/admin/webhooks/endpoints/${ofStranger.body.id}`);
  });

  it('shows its secret once, and is read, changed and deleted by its version', async () => {
    const { id, secret } = await create({ headers: { 'x-api-key': 'very-secret' } });
    const shown = await integrator.call<WebhookEndpoint>('GET', `${endpoints}/${id}`);
    const list = await integrator.call('GET', endpoints);
    expect(JSON.stringify([shown, list])).not.toMatch(new RegExp(`${secret.slice(6, 20)}|very-secret`));
    expect(shown.body).toMatchObject({
      state: 'active',
      headers: ['x-api-key'],
      maker: { id: integrator.app.clientId },
    });
    expect(shown.headers.etag).toBe('"1"');
    const patch = (etag: string) =>
      integrator.call<WebhookEndpoint & Problem>('PATCH', `${endpoints}/${id}`, {
        json: { description: etag },
        headers: { 'if-match': etag },
      });
    expect((await patch('"1"')).body).toMatchObject({ version: 2 });
    expect([(await patch('"1"')).status, (await patch('"1"')).body.code]).toEqual([412, 'precondition_failed']);
    expect((await integrator.call('DELETE', `${endpoints}/${id}`)).status).toBe(204);
    expect((await integrator.call<Problem>('GET', `${endpoints}/${id}`)).body.code).toBe('unknown_webhook_endpoint');
  });

  it('that fails shows why, and its messages can be found and sent again', async () => {
    answer = (response) => void response.writeHead(500).end('database is down');
    const { id } = await create({ types: ['offer.created'] });
    const { body: offer } = await shop.offer();
    const message = await eventually(() => messagesAt().find(({ subject }) => subject === offer.subject) ?? false);
    await eventually(async () => (await historyOf(message.id))[0]!.history.length > 0);
    expect(await historyOf(message.id)).toMatchObject([
      { endpoint: id, status: 'pending', history: [{ status: 500, response: 'database is down' }] },
    ]);
    expect((await get(id)).lastError).toMatchObject({ attempts: 1 });
    const pending = `${integrator.api}/admin/webhooks/messages?endpoint=${id}&status=pending&types=offer.created`;
    const page = await integrator.call<Page<WebhookMessage>>('GET', pending);
    expect(page.body.items.map((item) => item.id)).toEqual([message.id]);
    answer = confirm;
    const resend = await integrator.call('POST', `${integrator.api}/admin/webhooks/messages/${message.id}/resend`, {
      json: {},
    });
    expect([resend.status, resend.body]).toEqual([202, { endpoints: 1 }]);
    await eventually(async () => (await historyOf(message.id))[0]!.status === 'delivered');
    expect(messagesAt().map((each) => each.id)).toEqual([message.id, message.id]);
  });

  it('that is paused gets in order what it has missed, when it is resumed', async () => {
    const { id } = await create({ types: ['offer.created'] });
    expect((await integrator.call<WebhookEndpoint>('POST', `${endpoints}/${id}/pause`)).body.state).toBe('paused');
    const subjects = [];
    for (let i = 0; i < 5; i += 1) subjects.push((await shop.offer()).body.subject);
    await eventually(async () => (await get(id)).waiting >= 5);
    expect(at()).toEqual([]);
    expect((await integrator.call('POST', `${endpoints}/${id}/resume`, { json: {} })).status).toBe(200);
    await eventually(() => at().length >= 5);
    expect(messagesAt().map(({ subject }) => subject)).toEqual(subjects);
  });

  it('is tested with the sample of a type, which is no event', async () => {
    const { id, secret } = await create();
    const test = await integrator.call('POST', `${endpoints}/${id}/test`, { json: { type: 'credential.revoked' } });
    expect([test.status, test.body]).toEqual([200, expect.objectContaining({ delivered: true, status: 204 })]);
    const [request] = at();
    const verified = new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'credential.revoked', test: true });
  });

  it('of which everything is recorded, by who did it', async () => {
    const { id } = await create();
    await integrator.call('POST', `${endpoints}/${id}/secrets`);
    const log = await eventually(async () => {
      const { body } = await reader.call<Page<{ action: string; actor: { id: string }; targets: { id: string }[] }>>(
        'GET',
        `${reader.api}/admin/audit/events?limit=20`,
      );
      const found = body.items.filter(({ targets }) => targets.some((target) => target.id === id));
      return found.length >= 2 && found;
    });
    expect(log.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['webhook_endpoint.rotate_secret', integrator.app.clientId],
      ['webhook_endpoint.create', integrator.app.clientId],
    ]);
  });
});

describe('what receivers need to know', () => {
  it('are the types with schemas and samples, and public keys without a token', async () => {
    const { body } = await integrator.call<{ items: { type: string; sample: { type: string } }[] }>(
      'GET',
      `${integrator.api}/admin/webhooks/event-types`,
    );
    expect(body.items.length).toBeGreaterThan(30);
    expect(body.items.every(({ type, sample }) => sample.type === type)).toBe(true);
    await create({ signatures: ['v1', 'v1a'] });
    const keys = await callApi(stack, 'GET', `/o/${integrator.app.org}/webhooks/jwks`);
    expect(keys.body).toMatchObject({ keys: [{ kty: 'OKP', crv: 'Ed25519', use: 'sig' }] });
    expect((await callApi(stack, 'GET', '/o/no-such-organization/webhooks/jwks')).status).toBe(404);
  });
});

describe('an address that must not be called', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://user:password@shop.example/',
    'https://shop.example:22/',
    'https://postgres.holdfast.svc/',
    'not a url',
  ])('%s is refused', async (url) => {
    const { status, body } = await integrator.call<Problem>('POST', endpoints, { json: { url } });
    expect([status, body.code]).toEqual([422, 'invalid_request']);
  });

  it.each([
    { headers: { host: 'x' } },
    { headers: { 'content-length': '1' } },
    { headers: { 'webhook-signature': 'v1,x' } },
    { headers: { 'x-a': 'b\r\nx-c: d' } },
    { types: ['no.such.type'] },
    { types: [] },
    { rateLimit: 0 },
    { secret: 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=' },
    { url: 'x'.repeat(3000) },
  ])('%j is refused', async (wrong) => {
    const json = { url: receiver.urlOf(path), ...wrong };
    const { status } = await integrator.call<Problem>('POST', endpoints, { json });
    expect(status).toBe(422);
  });
});
