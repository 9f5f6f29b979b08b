// What an operator sees of a stack: one trace for each request, through every service, without data of anybody, and
// support bundles. With HOLDFAST_DRAW=1 it also draws the picture of docs/observability.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { CustomerBrowsers, redirectUris } from '../chaos/customer-browsers.fixture.ts';
import { PrivateStack } from '../chaos/private-stack.ts';
import { Client } from '../clients/client.ts';
import { closeConnections, type Reply } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newPerson } from '../people/person.fixture.ts';
import { root, type App } from '../stack/stack.ts';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.fixture.ts';
import { supportBundleSettings, testSupportBundle } from './support-bundle.ts';
import { tracePicture } from './trace-picture.ts';

const receiver = new OtlpReceiver();
const ownStack = new PrivateStack(join(stack.home, 'observability'), 'gateway=2');
/** Ids that a caller chooses may name its customers. */
const canary = { id: 'c0ffee-c0ffee', trace: 'c0ffeec0ffeec0ffeec0ffeec0ffee00', query: 'c0ffee-query' };
let app: App;
let shop: Client;
let reply: Reply<Offer>;
let email: string;

beforeAll(async () => {
  ownStack.settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.open(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    ACCESS_LOG_SUCCESSES: '1',
    ...supportBundleSettings,
  };
  await ownStack.start();
  const org = await ownStack.newOrganization();
  app = await ownStack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
  shop = new Client(ownStack, app);
  ({ email } = await newPerson(org, [], ownStack));
  await shop.token();
  // So that the picture shows a request to a process that has handled some.
  await shop.offer();
  receiver.forget();
  const headers = { 'x-request-id': canary.id, traceparent: `00-${canary.trace}-c0ffeec0ffeec0ff-01` };
  reply = await shop.offer({}, { headers });
  const browsers = await CustomerBrowsers.of(ownStack, app);
  await browsers.signIn(reply.body.subject, await browsers.claim(reply.body));
  await shop.call('GET', `${shop.api}/credentials/subjects?cursor=${canary.query}`);
});
afterAll(async () => {
  await ownStack.remove();
  receiver.close();
  closeConnections();
});

/** The complete trace of the last request on this route: it has a span of each of these names. */
async function traceOf(route: string, ...names: string[]): Promise<ReceivedSpan[]> {
  let trace: ReceivedSpan[] = [];
  await eventually(async () => {
    const first = receiver.spans.findLast(({ service, name }) => service === 'gateway' && name === route);
    trace = receiver.spans.filter(({ traceId }) => traceId === first?.traceId);
    const found = new Set(trace.map(({ name }) => name));
    // Each service sends its spans by itself, so a span may arrive before its parent.
    const isWhole = trace.every(({ parentId }) => !parentId || trace.some(({ id }) => id === parentId));
    return isWhole && names.every((name) => found.has(name));
  });
  return trace;
}

/** A span and its ancestors, from the root, each with its service. */
function pathTo(trace: ReceivedSpan[], service: string, name: string): string[] {
  const path = (span: ReceivedSpan | undefined): string[] =>
    span ? [...path(trace.find(({ id }) => id === span.parentId)), `${span.service}: ${span.name}`] : [];
  return path(trace.find((span) => span.service === service && span.name === name));
}

const offerRoute = 'POST /o/{shortId}/api/credentials/offers';
const offerTrace = () =>
  traceOf(
    offerRoute,
    'process evt.issuance.offer.created',
    'subject_apply',
    'feed_write',
    'batch_write',
    'offer_first',
    'handle rpc.issuance.create-offer',
  );

describe('the trace of an offer', () => {
  it('leads from the gateway over the bus to the statements of issuance', async () => {
    expect(pathTo(await offerTrace(), 'issuance', 'offer_first')).toEqual([
      `gateway: ${offerRoute}`,
      'gateway: request rpc.issuance.create-offer',
      'issuance: handle rpc.issuance.create-offer',
      'issuance: offer_first',
    ]);
  });

  it.each([
    ['subjects', 'subject_apply'],
    ['signals', 'feed_write'],
    ['audit', 'batch_write'],
  ])('leads from the outbox to the statements of %s, which consumes the event', async (service, statement) => {
    expect(pathTo(await offerTrace(), service, statement)).toEqual([
      `gateway: ${offerRoute}`,
      'gateway: request rpc.issuance.create-offer',
      'issuance: handle rpc.issuance.create-offer',
      'issuance: publish evt.issuance.offer.created',
      `${service}: process evt.issuance.offer.created`,
      `${service}: ${statement}`,
    ]);
  });

  it('has attributes of the semantic conventions', async () => {
    const trace = await offerTrace();
    const attributes = (name: string) => trace.find((span) => span.name === name)?.attributes;
    expect(attributes(offerRoute)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/o/{shortId}/api/credentials/offers',
      'http.response.status_code': '201',
    });
    expect(attributes('offer_first')).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': 'offer_first' });
    expect(attributes('publish evt.issuance.offer.created')).toMatchObject({
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'evt.issuance.offer.created',
    });
  });

  it('is not the trace that the caller chose, which only the response continues', async () => {
    const trace = await offerTrace();
    expect(reply.headers.traceparent).toContain(canary.trace);
    expect(trace[0]!.traceId).not.toBe(canary.trace);
  });

  it('is named in the log lines of the request', async () => {
    const [{ traceId } = { traceId: '' }] = await offerTrace();
    const lines = readFileSync(join(ownStack.home, 'logs', 'gateway-1.log'), 'utf8').split('\n');
    const line = lines.find((one) => one.includes(traceId));
    expect(JSON.parse(line!)).toMatchObject({ requestId: reply.headers['holdfast-request-id'], org: app.org });
  });
});

it('the trace of a sign-in leads from the gateway over auth to the passkey in issuance', async () => {
  const route = 'POST /o/{shortId}/api/sign-in/{uid}/complete';
  expect(pathTo(await traceOf(route, 'passkey_find', route), 'issuance', 'passkey_find')).toEqual([
    `gateway: ${route}`,
    `gateway: ${route}`,
    `auth: ${route}`,
    'auth: request rpc.issuance.complete-sign-in',
    'issuance: handle rpc.issuance.complete-sign-in',
    'issuance: passkey_find',
  ]);
});

it('the trace of a token leads from auth to the audit log', async () => {
  const route = 'POST /o/{shortId}/token';
  expect(pathTo(await traceOf(route, 'batch_write'), 'audit', 'batch_write')).toEqual([
    `gateway: ${route}`,
    `gateway: ${route}`,
    `auth: ${route}`,
    'auth: request rpc.audit.append-records',
    'audit: handle rpc.audit.append-records',
    'audit: batch_write',
  ]);
});

it('spans name no customer, person, organization, app, token or id that a caller chose', async () => {
  await traceOf('GET /o/{shortId}/api/credentials/subjects', 'GET /o/{shortId}/api/credentials/subjects');
  const { subject, credentialId, offerId, claimUrl } = reply.body;
  const secrets = [subject, credentialId, offerId, new URL(claimUrl).hash.slice(1), await shop.token(), email];
  const ofCaller = [...Object.values(canary), app.org, app.clientId, app.clientSecret];
  expect([...secrets, ...ofCaller].filter((one) => receiver.received.includes(one))).toEqual([]);
});

it('latencies in /metrics have the trace of a request as an exemplar', async () => {
  const log = readFileSync(join(ownStack.home, 'logs', 'gateway-1.log'), 'utf8');
  const port = /"opsPort":(\d+)/.exec(log)?.[1];
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toMatch('application/openmetrics-text');
  const [, traceId] = /holdfast_http_request_seconds_bucket.* # \{trace_id="([0-9a-f]{32})"/.exec(
    await response.text(),
  )!;
  expect(receiver.received).toContain(traceId);
});

if (process.env.HOLDFAST_DRAW === '1')
  it('the picture of the documentation is drawn', async () => {
    const steps = [
      ['Sign-in: the app sends the browser to its issuer', 'GET /o/{shortId}/authorize'],
      ['Sign-in: the page asks for a passkey', 'POST /o/{shortId}/api/sign-in/{uid}/options'],
      ['Sign-in: the passkey is verified', 'POST /o/{shortId}/api/sign-in/{uid}/complete'],
      ['Sign-in: the browser returns to the app', 'GET /o/{shortId}/authorize/{uid}'],
      ['Sign-in: the app exchanges the code', 'POST /o/{shortId}/token'],
    ] as const;
    const offered = { title: 'An app creates an offer', spans: await offerTrace() };
    const signedIn = await Promise.all(
      steps.map(async ([title, route]) => ({ title, spans: await traceOf(route, route) })),
    );
    writeFileSync(join(root, 'docs', 'images', 'trace.svg'), tracePicture([offered, ...signedIn]));
  });

testSupportBundle(ownStack);
