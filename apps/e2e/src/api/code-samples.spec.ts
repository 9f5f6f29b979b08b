// The samples of the API reference: those for TypeScript compile, and those for curl are requests that it declares.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationNames, receiverScopeNames } from '@holdfast/contracts';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';

interface Operation {
  operationId: string;
  security: Record<string, string[]>[];
  responses: Record<string, object>;
  'x-codeSamples'?: { lang: string; source: string }[];
}

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
/** What the examples of all parameters say. */
const example = {
  issuer: 'https://id.example/o/acme',
  id: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
  app: 'app_Ab3dE6gH9jK2mN5pQ8sT1v',
};

const { paths } = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const scopesOf = ({ security }: Operation) => security.flatMap(({ clientCredentials = [] }) => clientCredentials);
const ofApps = operations.filter((operation) => scopesOf(operation).length > 0);
const isOfReceivers = (operation: Operation) =>
  scopesOf(operation).some((scope) => (receiverScopeNames as string[]).includes(scope));

function sourceOf(name: string, lang: string): string {
  const { 'x-codeSamples': samples = [] } = operations.find(({ operationId }) => operationId === name)!;
  return samples.find((sample) => sample.lang === lang)!.source;
}

let folder: string;
let service: App;
let serviceClient: Client;
let receiver: App;
/** Of an organization without anything. */
let other: App;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'));
  const clients = await newClients({
    service: { kind: 'service', grants: [...operationNames] },
    receiver: { kind: 'receiver', grants: [] },
  });
  const others = await newClients({ other: { kind: 'service', grants: [...operationNames] } });
  [service, receiver, other] = [clients.service.app, clients.receiver.app, others.other.app];
  serviceClient = clients.service;
});
afterAll(async () => {
  // Nobody accepts entries at the address of the example, so doctor would report the destination to other tests.
  const path = `${serviceClient.api}/admin/audit/destinations`;
  const { body } = await serviceClient.call<{ items: { id: string }[] }>('GET', path);
  for (const { id } of body.items) await serviceClient.call('DELETE', `${path}/${id}`);
  rmSync(folder, { recursive: true, force: true });
  closeConnections();
});

it('each call that an app can make has a sample for curl and one for TypeScript', () => {
  const languages = ofApps.map(({ operationId, 'x-codeSamples': samples = [] }) => [
    operationId,
    ...samples.map(({ lang }) => lang),
  ]);
  expect(languages).toEqual(ofApps.map(({ operationId }) => [operationId, 'Shell', 'TypeScript']));
  expect(ofApps.length).toBeGreaterThan(100);
});

it('every sample for TypeScript compiles with the types of the SDK', async () => {
  const client = sourceOf('createToken', 'TypeScript');
  const files = ofApps.map(({ operationId }) => {
    writeFileSync(join(folder, `${operationId}.ts`), `${client}\n\n${sourceOf(operationId, 'TypeScript')}\n`);
    return `${operationId}.ts`;
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
  const output = await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }: { stdout: string }) => ({
    stdout,
  }));
  expect(output.stdout).toBe('');
});

/** Runs samples in one shell, after that for a token. @returns the status of each */
async function runInShell(app: App, names: string[], replacements: Record<string, string> = {}): Promise<string[]> {
  const scopes = app === receiver ? receiverScopeNames : operationNames;
  const adapted = (source: string) =>
    Object.entries({
      [example.issuer]: `${stack.baseUrl}/o/${app.org}`,
      '/o/acme/': `/o/${app.org}/`,
      ...replacements,
    }).reduce((text, [from, to]) => text.replaceAll(from, to), source);
  const token = sourceOf('createToken', 'Shell').replace(/'scope=[^']*'/, `'scope=${scopes.join(' ')}'`);
  const script = [
    token,
    `curl() { command curl -s --max-time 2 -o body -w '%{http_code}\\n' "$@"; }`,
    ...names.map((name) => adapted(sourceOf(name, 'Shell'))),
    'true',
  ].join('\n');
  const env = { PATH: process.env.PATH, CLIENT_ID: app.clientId, CLIENT_SECRET: app.clientSecret };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });
  return stdout.trim().split('\n');
}

const bodyOfLast = <Body>() => JSON.parse(readFileSync(join(folder, 'body'), 'utf8')) as Body;

describe('the samples for curl', () => {
  it.each([
    ['service', () => service, (operation: Operation) => !isOfReceivers(operation)],
    ['receiver', () => receiver, isOfReceivers],
  ])('are requests of the declared form by a %s: it succeeds, or their examples do not exist', async (_, app, isOf) => {
    const all = ofApps.filter(isOf);
    const statuses = await runInShell(
      app(),
      all.map(({ operationId }) => operationId),
    );
    const undeclared = all.flatMap(({ operationId, responses }, i) => {
      const status = statuses[i]!;
      return status in responses && /^(2..|404|409)$/.test(status) ? [] : [`${operationId}: ${status}`];
    });
    expect(statuses).toHaveLength(all.length);
    expect(undeclared).toEqual([]);
  });

  it('offer a credential to a customer, read and withdraw it, and erase the customer', async () => {
    expect(await runInShell(other, ['createOffer'])).toEqual(['201']);
    const { subject, offerId } = bodyOfLast<{ subject: string; offerId: string }>();
    const ofOffer = { [example.id]: offerId };
    expect(await runInShell(other, ['getOffer', 'withdrawOffer'], ofOffer)).toEqual(['200', '204']);
    const names = ['getSubject', 'listSubjects', 'eraseSubject', 'getSubject'];
    expect(await runInShell(other, names, { [example.id]: subject })).toEqual(['200', '200', '204', '404']);
  });

  it('create, change and delete an app, a group and a webhook', async () => {
    expect(await runInShell(other, ['createApp'])).toEqual(['201']);
    const { clientId } = bodyOfLast<{ clientId: string }>();
    const ofApp = { [example.app]: clientId };
    const appCalls = [
      'getApp',
      'updateApp',
      'disableApp',
      'enableApp',
      'createAppSecret',
      'listAppSecrets',
      'deleteApp',
    ];
    expect(await runInShell(other, appCalls, ofApp)).toEqual(['200', '200', '200', '200', '201', '200', '204']);
    for (const [create, ...others] of [
      ['createGroup', 'getGroup', 'updateGroup', 'listGroupMembers', 'deleteGroup'],
      ['createWebhookEndpoint', 'getWebhookEndpoint', 'updateWebhookEndpoint', 'deleteWebhookEndpoint'],
    ]) {
      expect(await runInShell(other, [create!])).toEqual(['201']);
      const { id } = bodyOfLast<{ id: string }>();
      const statuses = others.map((name) => (name.startsWith('delete') ? '204' : '200'));
      expect(await runInShell(other, others, { [example.id]: id })).toEqual(statuses);
    }
  });
});
