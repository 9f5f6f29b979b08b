// The SDK of libs/sdk, installed from its archive outside of the clone, and against a running stack.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ApiError,
  eachItem,
  followEvents,
  holdfastClient,
  type Holdfast,
  type HoldfastEvent,
  type HoldfastOptions,
} from '@holdfast/sdk';
import { SignIn, SignInError } from '@holdfast/sdk/sign-in';
import { eventually } from '@holdfast/testing';
import { byKey, createService, jwksFile, newKey, withKeyFiles } from '../apps/keys.fixture.ts';
import { Client } from '../clients/client.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer, signIn } from '../sign-in/customer.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
withKeyFiles();

let org: string;
let shop: Client;
let reader: Client;
beforeAll(async () => {
  org = await stack.newOrganization();
  shop = new Client(stack, await stack.newApp(org, 'shop', customerScopes, 'web', ['https://shop.example/callback']));
  reader = new Client(stack, await stack.newApp(org, 'reader', ['webhooks:manage'], 'service'));
});

const clientOf = (more: Partial<HoldfastOptions> = {}): Holdfast =>
  holdfastClient({
    baseUrl: stack.baseUrl,
    organization: org,
    clientId: shop.app.clientId,
    clientSecret: shop.app.clientSecret,
    ...more,
  });

describe('the archive', () => {
  let folder: string;
  let examples: string[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sdk-'));
    const { stdout } = await run('npm', ['run', '--silent', 'sdk:pack', '--', folder], { cwd: root });
    const scope = join(folder, 'node_modules', '@holdfast');
    mkdirSync(scope, { recursive: true });
    await run('tar', ['xzf', stdout.trim(), '-C', scope]);
    symlinkSync('package', join(scope, 'sdk'));
    const installed = join(scope, 'package', 'package.json');
    const { dependencies } = JSON.parse(readFileSync(installed, 'utf8')) as { dependencies: Record<string, string> };
    // A registry would have them in these versions, which the clone has installed.
    for (const name of [...Object.keys(dependencies), '@types'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    const documents = [join(scope, 'package', 'README.md'), join(root, 'docs', 'migrate.md')];
    const text = documents.map((document) => readFileSync(document, 'utf8')).join('\n');
    examples = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code], i) => {
      writeFileSync(join(folder, `example-${i}.ts`), code!);
      return `example-${i}.ts`;
    });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['of Node.js', ['--lib', 'es2024', '--types', 'node']],
    ['of browsers and edge runtimes', ['--lib', 'es2024,dom', '--types', 'node']],
  ])('has types with which every documented example compiles, beside those %s', async (_, options) => {
    const tsc = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--module', 'nodenext'];
    expect(examples).toHaveLength(6);
    const compiled = run(process.execPath, [tsc, ...strict, '--target', 'es2024', ...options, ...examples], {
      cwd: folder,
    });
    await expect(compiled.catch(({ stdout }: { stdout: string }) => stdout)).resolves.toMatchObject({ stdout: '' });
  });

  it('makes the first offer with the first example', async () => {
    const env = {
      ...process.env,
      HOLDFAST_URL: stack.baseUrl,
      CLIENT_ID: shop.app.clientId,
      CLIENT_SECRET: shop.app.clientSecret,
    };
    const acme = readFileSync(join(folder, 'example-0.ts'), 'utf8').replace("'acme'", `'${org}'`);
    writeFileSync(join(folder, 'first-offer.ts'), acme);
    const { stdout } = await run(process.execPath, ['first-offer.ts'], { cwd: folder, env });
    const [, subject = '', claimUrl = ''] = /Store (\S+) with the account, and send (\S+) /.exec(stdout) ?? [];
    expect(claimUrl).toMatch(`${stack.baseUrl}/o/${org}/claim#`);
    expect(await clientOf().getSubject({ path: { subject } })).toMatchObject({ subject, claimed: false });
  });
});

it('changes nothing twice and loses nothing when responses are lost on the way', async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  let state = seed;
  // A linear congruential generator, so that a seed repeats which responses are lost.
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
  let lost = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isLost = random() < 0.3;
    const response = await globalThis.fetch(input, init);
    if (!isLost) return response;
    lost += 1;
    await response.body?.cancel();
    throw new TypeError('the connection was reset');
  };
  const holdfast = clientOf({ fetch, maxRepeats: 20 });
  const before = new Set<string>();
  for await (const { subject } of eachItem(holdfast.listSubjects)) before.add(subject);
  const offers = await Promise.all(Array.from({ length: 30 }, () => holdfast.createOffer()));
  const erased = offers.splice(0, 10);
  await Promise.all(erased.map(({ subject }) => holdfast.eraseSubject({ path: { subject } })));
  const after: string[] = [];
  for await (const { subject } of eachItem(holdfast.listSubjects, { query: { limit: 7 } })) after.push(subject);
  const expected = offers.map(({ subject }) => subject).sort();
  expect({ seed, subjects: after.filter((subject) => !before.has(subject)).sort() }).toEqual({
    seed,
    subjects: expected,
  });
  expect(lost).toBeGreaterThan(0);
});

it('makes an offer to a known customer, for which it needs a second operation', async () => {
  const holdfast = clientOf();
  const { subject, offerId } = await holdfast.createOffer();
  await holdfast.withdrawOffer({ path: { offerId } });
  expect(await holdfast.createOffer({ body: { subject } })).toMatchObject({ subject });
});

it('names what was wrong by a code', async () => {
  const unknown = clientOf().getSubject({ path: { subject: crypto.randomUUID() } });
  await expect(unknown).rejects.toMatchObject({ constructor: ApiError, status: 404, code: 'unknown_subject' });
  const secret = clientOf({ clientSecret: 'wrong' }).listSubjects();
  await expect(secret).rejects.toMatchObject({ constructor: ApiError, status: 401, code: 'invalid_client' });
  const foreign = clientOf({ organization: 'globex' }).listSubjects();
  await expect(foreign).rejects.toMatchObject({ constructor: ApiError, status: 403, code: 'wrong_organization' });
  const notGranted = clientOf().listGroups();
  await expect(notGranted).rejects.toMatchObject({ constructor: ApiError, status: 400, code: 'invalid_scope' });
});

it('authenticates with a private key, and with tokens that are bound to a key', async () => {
  const key = await newKey('EdDSA');
  const options = byKey('--jwks-file', jwksFile(key.publicJwk), '--require-dpop');
  const { app } = await createService(org, 'robot', ...options);
  const more = { clientId: app.clientId, clientSecret: '', privateKey: { key: key.privateKey, kid: key.kid } };
  const holdfast = clientOf({ ...more, dpop: true });
  const [first, second] = await Promise.all([holdfast.listSubjects(), holdfast.listSubjects()]);
  expect(first).toEqual(second);
  await expect(clientOf(more).listSubjects()).rejects.toMatchObject({ constructor: ApiError, status: 400 });
});

it('follows the events of the organization from where it was', async () => {
  const holdfast = clientOf();
  const { subject, offerId } = await holdfast.createOffer();
  await holdfast.withdrawOffer({ path: { offerId } });
  let place: string | undefined;
  const seen: HoldfastEvent[] = [];
  const follow = (until: HoldfastEvent['type']) => {
    const ending = new AbortController();
    return followEvents(clientOf(reader.app), {
      cursor: { load: async () => place, save: async (cursor) => void (place = cursor) },
      types: ['offer.created', 'offer.withdrawn', 'subject.erased'],
      apply: (event) => {
        seen.push(event);
        if (event.type === until && JSON.stringify(event.data).includes(subject)) setTimeout(() => ending.abort(), 50);
      },
      readAgain: () => Promise.reject(new Error('the place is new')),
      pollIntervalMs: 20,
      signal: ending.signal,
    });
  };
  await follow('offer.withdrawn');
  await holdfast.eraseSubject({ path: { subject } });
  await follow('subject.erased');
  const own = seen.filter(({ data }) => JSON.stringify(data).includes(subject));
  expect(own.map(({ type }) => type)).toEqual(['offer.created', 'offer.withdrawn', 'subject.erased']);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
});

it('signs a customer in, and says why it did not', async () => {
  const { clientId, clientSecret } = shop.app;
  const issuer = `${stack.baseUrl}/o/${org}`;
  const parties = new SignIn({ issuer, clientId, clientSecret, redirectUri: 'https://shop.example/callback' });
  const ada = await newCustomer(shop);
  const { url, pending } = await parties.begin();
  const { location } = await signIn(new UserAgent(stack.baseUrl), url.href, ada.authenticator);
  const { search } = new URL(location);
  const other = await parties.begin();
  await expect(parties.finish(search, other.pending)).rejects.toThrow(SignInError);
  expect(await parties.finish(search, pending)).toMatchObject({ issuer, subject: ada.subject });
  await expect(parties.finish(search, pending)).rejects.toMatchObject({ name: 'SignInError', code: 'invalid_grant' });

  await clientOf().revokeCredential({ path: { id: ada.credentialId }, body: {} });
  const denied = await parties.begin();
  await eventually(async () => {
    const page = await signIn(new UserAgent(stack.baseUrl), denied.url.href, ada.authenticator);
    const finished = parties.finish(new URL(page.location).search, denied.pending);
    await expect(finished).rejects.toMatchObject({ name: 'SignInError', code: 'access_denied' });
  });
});
