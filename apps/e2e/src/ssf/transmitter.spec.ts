// The transmitter as a receiver sees it: the modules of the OpenID conformance suite's plans
// openid-ssf-transmitter-test-plan and openid-ssf-transmitter-caep-test-plan, black-box.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deliveryMethods, securityEvents, type AuditEvent, type SsfStream } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { callApi, type Client, type Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { ReceiverServer } from '../clients/receiver-server.fixture.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { discover, nameOf, newReceiver, type SsfReceiver } from './receivers.fixture.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
const received: Received[] = [];
const answers = new Map<string, (response: ServerResponse) => void>();
const server = new ReceiverServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ path: request.url!, headers: request.headers, body });
    const answer = answers.get(request.url!) ?? ((ended: ServerResponse) => void ended.writeHead(202).end());
    answer(response);
  });
});

let shop: Client;
let admin: Client;
let auditor: Client;
let receiver: SsfReceiver;
let other: SsfReceiver;
let stranger: SsfReceiver;
beforeAll(async () => {
  await server.open();
  const [here, there] = await Promise.all([
    newClients({
      shop: {},
      admin: { kind: 'service', grants: ['ssf:manage'] },
      auditor: { kind: 'service', grants: ['audit:read'] },
    }),
    newClients({ admin: { kind: 'service', grants: ['ssf:manage'] } }),
  ]);
  ({ shop, admin, auditor } = here);
  receiver = await newReceiver(admin, { name: 'SIEM' });
  other = await newReceiver(admin, { name: 'Other' });
  stranger = await newReceiver(there.admin, { name: 'Stranger' });
});
afterAll(() => {
  server.close();
  closeConnections();
});

const nobody = randomUUID();
const at = (path: string) => received.filter((request) => request.path === path);
const call = <Body = SsfStream & Problem>(method: string, path: string, json?: object, by = receiver) =>
  by.client.call<Body>(method, `${by.base}${path}`, json && { json });
const pushTo = (path: string, more: object = {}) => ({
  delivery: { method: deliveryMethods.push, endpoint_url: server.urlOf(path), ...more },
});
/** Polls until so many tokens are there, and returns their claims. */
const untilPolled = (by: SsfReceiver, id: string, count: number) =>
  eventually(async () => {
    const { sets } = await by.poll(id);
    return Object.keys(sets).length >= count && by.verified(sets);
  });

describe('metadata', () => {
  it('are at the inserted well-known path, and what is named there works', async () => {
    const metadata = await discover(receiver.client.app.org);
    const { issuer } = metadata;
    expect(metadata).toEqual({
      spec_version: '1_0',
      issuer: expect.stringMatching(new RegExp(`/o/${receiver.client.app.org}$`)) as never,
      jwks_uri: `${issuer}/jwks`,
      delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
      configuration_endpoint: `${issuer}/ssf/streams`,
      status_endpoint: `${issuer}/ssf/status`,
      add_subject_endpoint: `${issuer}/ssf/subjects/add`,
      remove_subject_endpoint: `${issuer}/ssf/subjects/remove`,
      verification_endpoint: `${issuer}/ssf/verification`,
      authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
      default_subjects: 'ALL',
    });
    expect((await callApi(stack, 'GET', '/.well-known/ssf-configuration/o/no-such-organization')).status).toBe(404);
  });
});

describe('stream control', () => {
  it('creates, reads, lists, changes, replaces and deletes a stream', async () => {
    const { stream_id: id, ...created } = await receiver.create({ description: 'One' });
    expect(created).toMatchObject({ aud: receiver.client.app.clientId, delivery: { method: deliveryMethods.poll } });
    expect((await call('GET', `/streams?stream_id=${id}`)).body).toEqual({ stream_id: id, ...created });
    const listed = await call<SsfStream[]>('GET', '/streams');
    expect(listed.body.map(({ stream_id }) => stream_id)).toContain(id);
    const uri = securityEvents['session-revoked'].uri;
    const patched = await call('PATCH', '/streams', { stream_id: id, events_requested: [uri] });
    expect([patched.status, patched.body.events_delivered]).toEqual([200, [uri]]);
    const replaced = await call('PUT', '/streams', { stream_id: id, ...pushTo('/unused') });
    expect([replaced.status, replaced.body.description, replaced.body.delivery.method]).toEqual([
      ...[200, undefined, deliveryMethods.push],
    ]);
    const foreign = await call('PATCH', '/streams', { stream_id: id, aud: 'somebody-else' });
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_request']);
    expect((await call('DELETE', `/streams?stream_id=${id}`)).status).toBe(204);
    expect((await call('GET', `/streams?stream_id=${id}`)).status).toBe(404);
  });

  it('creates a second stream', async () => {
    const ids = [await receiver.create(), await receiver.create()].map(({ stream_id }) => stream_id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) await call('DELETE', `/streams?stream_id=${id}`);
  });

  it.each([
    ['broken JSON', { body: '{"delivery":', headers: { 'content-type': 'application/json' } }],
    ['an unknown method', { json: { delivery: { method: 'urn:x', endpoint_url: 'https://receiver.example/' } } }],
    ['push without an address', { json: { delivery: { method: deliveryMethods.push } } }],
    ['events that are no list', { json: { events_requested: 'all' } }],
    ['a private address', { json: { delivery: { method: deliveryMethods.push, endpoint_url: 'https://10.0.0.1/' } } }],
  ])('responds 400 to %s', async (_, options) => {
    const { status, body } = await receiver.client.call<Problem>('POST', `${receiver.base}/streams`, options);
    expect([status, body.code]).toEqual([400, expect.stringMatching(/^invalid_/)]);
  });

  const requests: [method: string, path: string, json: object | undefined][] = [
    ['GET', `/streams?stream_id=${nobody}`, undefined],
    ['PATCH', '/streams', { stream_id: nobody }],
    ['PUT', '/streams', { stream_id: nobody, delivery: { method: deliveryMethods.poll } }],
    ['DELETE', `/streams?stream_id=${nobody}`, undefined],
    ['GET', `/status?stream_id=${nobody}`, undefined],
    ['POST', '/status', { stream_id: nobody, status: 'paused' }],
    ['POST', '/subjects/add', { stream_id: nobody, subject: { format: 'opaque', id: nobody } }],
    ['POST', '/subjects/remove', { stream_id: nobody, subject: { format: 'opaque', id: nobody } }],
    ['POST', '/verification', { stream_id: nobody }],
    ['POST', `/streams/${nobody}/poll`, {}],
  ];

  it.each(requests)('responds 404 to %s %s of a stream that does not exist', async (...request) => {
    const { status, body } = await call<Problem>(...request);
    expect([status, body.code]).toEqual([404, 'unknown_stream']);
  });

  it.each(requests)('responds 401 to %s %s with a bad token or none', async (method, path, json) => {
    const options = json && { json };
    for (const headers of [{}, { authorization: 'Bearer bad' }]) {
      const found = await callApi<Problem>(stack, method, receiver.base + path, { ...options, headers });
      expect([found.status, found.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    }
  });
});

describe('a receiver', () => {
  it('reaches neither streams of another receiver nor another organization, nor the Admin API', async () => {
    const { stream_id: id } = await receiver.create();
    expect((await call<Problem>('GET', `/streams?stream_id=${id}`, undefined, other)).status).toBe(404);
    expect((await call<SsfStream[]>('GET', '/streams', undefined, other)).body).toEqual([]);
    const foreign = await stranger.client.call<Problem>('GET', `${receiver.base}/streams?stream_id=${id}`);
    expect([foreign.status, foreign.body.code]).toEqual([403, 'wrong_organization']);
    const users = await receiver.client.call<Problem>('GET', `${receiver.client.api}/admin/ssf/streams`);
    expect([users.status, users.body.code]).toEqual([403, 'insufficient_scope']);
    await call('DELETE', `/streams?stream_id=${id}`);
  });

  it('gets tokens for its two scopes only, and reads with either', async () => {
    const [reader, manager] = [receiver.client.with('ssf.read'), receiver.client.with('ssf.manage')];
    expect((await reader.call('GET', `${receiver.base}/streams`)).status).toBe(200);
    expect((await manager.call('GET', `${receiver.base}/streams`)).status).toBe(200);
    expect((await reader.call<Problem>('POST', `${receiver.base}/streams`, { json: {} })).body.code).toBe(
      'insufficient_scope',
    );
    await expect(receiver.client.with('ssf:manage').newToken()).rejects.toThrow(/invalid_scope/);
    await expect(admin.with('ssf.read').newToken()).rejects.toThrow(/invalid_scope/);
  });

  it('that is disabled gets nothing, within a second', async () => {
    const short = await newReceiver(admin, { name: 'Short' });
    const { stream_id: id } = await short.create(pushTo('/short'));
    const path = `${admin.api}/admin/ssf/receivers/${short.client.app.clientId}`;
    expect((await admin.call('POST', `${path}/disable`)).status).toBe(200);
    await eventually(async () => (await call('GET', '/streams', undefined, short)).status === 401);
    await newCustomer(shop);
    const { body } = await eventually(async () => {
      const found = await admin.call<{ state: string }>('GET', `${admin.api}/admin/ssf/streams/${id}`);
      return found.body.state === 'paused' && found;
    });
    expect(body).toMatchObject({ pausedBecause: 'maker' });
    expect(at('/short')).toEqual([]);
    expect((await admin.call('DELETE', path)).status).toBe(204);
    await eventually(async () => (await admin.call('GET', `${admin.api}/admin/ssf/streams/${id}`)).status === 404);
  });
});

describe('verification', () => {
  it('comes by push with the state that was given, and with the header that the receiver wants', async () => {
    const path = `/${randomUUID()}`;
    const { stream_id } = await receiver.create(pushTo(path, { authorization_header: 'Bearer of-receiver' }));
    const { status } = await call('POST', '/verification', { stream_id, state: 'some-state' });
    expect(status).toBe(204);
    await eventually(() => at(path).length > 0);
    const [request] = at(path);
    expect(request!.headers).toMatchObject({
      'content-type': 'application/secevent+jwt',
      authorization: 'Bearer of-receiver',
    });
    const claims = await receiver.verify(request!.body);
    expect([claims.sub_id, Object.values(claims.events)]).toEqual([
      { format: 'opaque', id: stream_id },
      [{ state: 'some-state' }],
    ]);
    const again = await call<Problem>('POST', '/verification', { stream_id });
    expect([again.status, again.headers['retry-after']]).toEqual([429, expect.any(String)]);
    await call('DELETE', `/streams?stream_id=${stream_id}`);
  });

  it('comes by push without a header of the receiver, and without a state that nobody gave', async () => {
    const path = `/${randomUUID()}`;
    const { stream_id } = await receiver.create(pushTo(path));
    await call('POST', '/verification', { stream_id });
    await eventually(() => at(path).length > 0);
    expect(at(path)[0]!.headers).not.toHaveProperty('authorization');
    expect(Object.values((await receiver.verify(at(path)[0]!.body)).events)).toEqual([{}]);
    await call('DELETE', `/streams?stream_id=${stream_id}`);
  });

  it('comes by poll, until it is acknowledged', async () => {
    const { stream_id: id } = await receiver.create();
    await call('POST', '/verification', { stream_id: id, state: 'polled' });
    const [claims] = await untilPolled(receiver, id, 1);
    expect(Object.values(claims!.events)).toEqual([{ state: 'polled' }]);
    expect(await receiver.poll(id, { ack: [claims!.jti], maxEvents: 0 })).toEqual({ sets: {}, moreAvailable: false });
    expect((await receiver.poll(id)).sets).toEqual({});
    await call('DELETE', `/streams?stream_id=${id}`);
  });
});

describe('a customer', () => {
  it('is followed from the claim to the erasure, each event once and in order, with the id of its record', async () => {
    const { stream_id: id } = await receiver.create();
    const { subject, credentialId: credential } = await newCustomer(shop);
    await shop.manage('suspend', credential);
    await shop.manage('resume', credential);
    await shop.manage('revoke', credential, 'compromised');
    const ofCustomer = async (count: number) => {
      const all = await untilPolled(receiver, id, count);
      return all.filter(({ sub_id: { sub } }) => sub === subject);
    };
    const all = await ofCustomer(10);
    expect(all.map((claims) => [nameOf(claims), Object.values(claims.events)[0]!.change_type])).toEqual(
      [
        ...[['credential-change', 'create']],
        ...[['credential-change', 'update'], ['session-revoked'], ['account-disabled']],
        ...[['account-enabled'], ['credential-change', 'update']],
        ...[['credential-compromise'], ['credential-change', 'revoke'], ['session-revoked'], ['account-disabled']],
      ].map(([name, change]) => [name, change]),
    );
    const log = await auditor.call<Page<AuditEvent>>('GET', `${auditor.api}/admin/audit/events?limit=50`);
    const actionOf = new Map(log.body.items.map(({ id: record, action }) => [record, action]));
    expect(all.map(({ txn }) => actionOf.get(txn))).toEqual([
      ...['credential.claim', ...Array<string>(3).fill('credential.suspend')],
      ...Array<string>(2).fill('credential.resume'),
      ...Array<string>(4).fill('credential.revoke'),
    ]);
    expect((await shop.erase(subject)).status).toBe(204);
    await eventually(async () =>
      (await receiver.verified((await receiver.poll(id)).sets)).map(nameOf).includes('account-purged'),
    );
    const left = (await receiver.verified((await receiver.poll(id)).sets)).filter(
      ({ sub_id: { sub } }) => sub === subject,
    );
    expect(left.map(nameOf)).toEqual(['session-revoked', 'account-purged']);
    await call('DELETE', `/streams?stream_id=${id}`);
  });

  it('reaches a poll that waits as soon as something happens', async () => {
    const { stream_id: id } = await receiver.create();
    const waiting = receiver.poll(id, {});
    await newCustomer(shop);
    const startedAtMs = performance.now();
    expect(Object.keys((await waiting).sets).length).toBeGreaterThan(0);
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
    await call('DELETE', `/streams?stream_id=${id}`);
  });

  it('whom a receiver has removed is not named, and is again when it was added', async () => {
    const { stream_id, iss } = await receiver.create();
    const { subject, credentialId: credential } = await newCustomer(shop);
    await untilPolled(receiver, stream_id, 1);
    const named = { stream_id, subject: { format: 'iss_sub', iss, sub: subject } };
    expect((await call('POST', '/subjects/remove', named)).status).toBe(204);
    await shop.manage('suspend', credential);
    const added = await call('POST', '/subjects/add', named);
    expect([added.status, added.text]).toEqual([200, '']);
    await shop.manage('resume', credential);
    const found = await untilPolled(receiver, stream_id, 2);
    expect(found.map(nameOf)).toEqual(['account-enabled', 'credential-change']);
    const unknown = { ...named, subject: { ...named.subject, sub: randomUUID() } };
    expect((await call('POST', '/subjects/add', unknown)).status).toBe(200);
    await call('DELETE', `/streams?stream_id=${stream_id}`);
  });
});

describe('an administrator', () => {
  it('sees every stream, pauses and resumes it, and sends rejected tokens again', async () => {
    const path = `/${randomUUID()}`;
    answers.set(
      path,
      (response) => void response.writeHead(400).end('{"err":"invalid_key","description":"unknown kid"}'),
    );
    const { stream_id: id } = await receiver.create(pushTo(path, { authorization_header: 'Bearer very-secret' }));
    const streams = `${admin.api}/admin/ssf/streams`;
    await newCustomer(shop);
    const rejected = await eventually(async () => {
      const { body } = await admin.call<Page<{ jti: string; error: object }>>(
        'GET',
        `${streams}/${id}/tokens?status=rejected`,
      );
      return body.items.length > 0 && body.items[0]!;
    });
    expect(rejected.error).toEqual({ err: 'invalid_key', description: 'unknown kid' });
    expect((await admin.call('POST', `${streams}/${id}/pause`)).body).toMatchObject({
      state: 'paused',
      pausedBecause: 'administrator',
      hasAuthorization: true,
    });
    const enabled = await call<Problem>('POST', '/status', { stream_id: id, status: 'enabled' });
    expect([enabled.status, enabled.body.code]).toEqual([403, 'stream_paused']);
    answers.delete(path);
    expect((await admin.call('POST', `${streams}/${id}/resume`)).body).toMatchObject({ state: 'enabled' });
    const resent = await admin.call('POST', `${streams}/${id}/resend`, { json: {} });
    expect(resent.body).toMatchObject({ tokens: expect.any(Number) as never });
    await eventually(async () => {
      const claims = await Promise.all(at(path).map(({ body }) => receiver.verify(body)));
      return claims.filter(({ jti }) => jti === rejected.jti).length >= 2;
    });
    const list = await admin.call('GET', streams);
    expect(JSON.stringify(list.body)).toContain(id);
    expect(list.text).not.toContain('very-secret');
    await call('DELETE', `/streams?stream_id=${id}`);
  });

  it('decides that new streams name their subjects', async () => {
    const settings = `${admin.api}/admin/ssf/configuration`;
    expect((await admin.call('PATCH', settings, { json: { defaultSubjects: 'NONE' } })).status).toBe(200);
    await eventually(async () => (await discover(admin.app.org)).default_subjects === 'NONE');
    const { stream_id: id } = await receiver.create();
    await newCustomer(shop);
    expect((await receiver.poll(id)).sets).toEqual({});
    await admin.call('PATCH', settings, { json: { defaultSubjects: 'ALL' } });
    await call('DELETE', `/streams?stream_id=${id}`);
  });
});
