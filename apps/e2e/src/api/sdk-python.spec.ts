// The client of libs/sdk-python, installed from its wheel outside of the clone, and against a running stack.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { exportPKCS8 } from 'jose';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { byKey, createService, jwksFile, newKey, withKeyFiles } from '../apps/keys.fixture.ts';
import { Client } from '../clients/client.ts';
import { ReceiverServer } from '../clients/receiver-server.fixture.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { claim, newCustomer, tokenOf } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { root, type App } from '../stack/stack.ts';
import { InstalledClient, withPython } from './python.fixture.ts';

const driver = join(import.meta.dirname, 'sdk-python.fixture.py');

interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

withPython([], 'the client for Python', () => {
  withKeyFiles();
  const received: Received[] = [];
  const receiver = new ReceiverServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ path: request.url!, headers: request.headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
  });
  let installed: InstalledClient;
  let examples: string[];
  let org: string;
  let party: RelyingParty;
  let shop: App;
  let integrator: App;
  beforeAll(async () => {
    await receiver.open();
    org = await stack.newOrganization();
    party = await RelyingParty.make(org, 'shop', {
      grants: customerScopes,
      backchannelLogoutUri: receiver.urlOf('/logout'),
    });
    shop = party.app;
    integrator = await stack.newApp(org, 'integrator', ['webhooks:manage', 'apps:manage'], 'service');
    installed = await InstalledClient.install();
    examples = installed.writeExamples(org);
  });
  afterAll(() => {
    receiver.close();
    installed?.remove();
  });

  const environmentOf = ({ clientId, clientSecret }: Pick<App, 'clientId' | 'clientSecret'>) => ({
    HOLDFAST_URL: stack.baseUrl,
    ORGANIZATION: org,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  });

  /** Runs a step of the driver as this app. */
  async function step<Result>(name: string, given: object = {}, as: App = shop, more: object = {}): Promise<Result> {
    const env = { ...environmentOf(as), ...more };
    const { stdout, stderr, status } = await installed.python([driver, name], { env, input: JSON.stringify(given) });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout) as Result;
  }

  const requestTo = (path: string) => eventually(() => received.find((one) => one.path === path) ?? false);

  it('is installed outside of the clone, and makes the first offer with the first example', async () => {
    const where = await installed.python(['-c', 'import holdfast; print(holdfast.__file__)']);
    expect(where.stdout).toContain(installed.folder);
    const { stdout } = await installed.python(['first_offer.py'], { env: environmentOf(shop) });
    const [, subject = '', claimUrl = ''] = /Store (\S+) with the account, and send (\S+) /.exec(stdout) ?? [];
    expect(claimUrl).toMatch(`${stack.baseUrl}/o/${org}/claim#`);
    expect((await new Client(stack, shop).get(subject)).body).toMatchObject({ subject, claimed: false });
  });

  it('changes nothing twice and loses nothing when responses are lost on the way', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    const { kept, expected, lost } = await step<{ kept: string[]; expected: string[]; lost: number }>(
      'lost_responses',
      { seed },
    );
    expect({ seed, kept }).toEqual({ seed, kept: expected });
    expect(kept).toHaveLength(20);
    expect(lost).toBeGreaterThan(0);
  });

  it('makes one offer with one key, although the process was killed before it had the response', async () => {
    const order = crypto.randomUUID();
    const subjects = async () => (await new Client(stack, shop).all()).map(({ subject }) => subject);
    const before = await subjects();
    const input = JSON.stringify({ order });
    expect((await installed.python([driver, 'killed'], { env: environmentOf(shop), input })).status).toBe(9);
    const after = await step<string[]>('repeated', { order });
    expect(after.filter((subject) => !before.includes(subject))).toHaveLength(1);
  });

  it('names what was wrong by a code', async () => {
    expect(await step('codes')).toEqual([
      '404 unknown_subject',
      '401 invalid_client',
      '403 wrong_organization',
      '400 invalid_scope',
    ]);
  });

  it('offers, lists, follows the claim in the feed, and verifies the webhook of the revocation', async () => {
    const { offer, links } = await step<{ offer: Record<string, string>; links: Record<string, string> }>('offers', {
      accounts: ['ada', 'grace', 'joan'],
    });
    expect(new Set(Object.values(links)).size).toBe(3);
    const { secret } = await step<{ secret: string }>('webhook', { url: receiver.urlOf('/webhook') }, integrator);
    expect((await claim(org, tokenOf(offer.claimUrl!), new SoftwareAuthenticator())).status).toBe(200);
    expect(await step('revoke', { credentialId: offer.credentialId })).toEqual({ status: 'revoked' });
    const feed = { subject: offer.subject, until: 'credential.revoked' };
    expect(await step('events', feed, integrator)).toEqual([
      'offer.created',
      'credential.issued',
      'credential.revoked',
    ]);
    const message = await requestTo('/webhook');
    expect(await step('received', message, integrator, { WEBHOOK_SECRET: secret })).toEqual([204, 401]);
  });

  it('changes an app only if it still has the version that was read', async () => {
    const { body } = await new Client(stack, integrator).call<{ clientId: string }>(
      'POST',
      `/o/${org}/api/admin/apps`,
      { json: { name: 'made', kind: 'web', redirectUris: ['https://made.example/'] } },
    );
    expect(await step('app', { clientId: body.clientId }, integrator)).toBe(3);
  });

  withPython(['cryptography'], 'with cryptography', () => {
    it.each(['ES256', 'EdDSA', 'RS256'])('authenticates with a private key, and with bound tokens: %s', async (alg) => {
      const key = await newKey(alg);
      const options = byKey('--jwks-file', jwksFile(key.publicJwk), '--require-dpop');
      const { app } = await createService(org, `robot-${alg.toLowerCase()}`, ...options);
      const given = { pem: await exportPKCS8(key.privateKey), kid: key.kid, clientId: app.clientId };
      expect(await step('keys', given)).toEqual({ pages: 8, without_proof: 400 });
    });

    it('verifies an ID token and a logout token, for the app that they are for alone', async () => {
      const ada = await newCustomer(new Client(stack, shop));
      const { idToken, claims } = await party.signIn(ada.authenticator);
      await new Client(stack, shop).call('DELETE', `/o/${org}/api/credentials/subjects/${ada.subject}/sessions`);
      const { body } = await requestTo('/logout');
      const logoutToken = new URLSearchParams(body).get('logout_token');
      const issuer = `${stack.baseUrl}/o/${org}`;
      const given = { issuer, clientId: shop.clientId, idToken, logoutToken, nonce: claims.nonce };
      expect(await step('tokens', given)).toEqual([[204, 400, 400], ada.subject, true]);
    });
  });

  withPython(['mypy'], 'its types', () => {
    it('fit every documented example', async () => {
      expect(examples).toHaveLength(8);
      const files = examples.map((name) => `${name}.py`);
      const { stdout } = await installed.python(['-m', 'mypy', '--strict', '--python-version', '3.10', ...files], {
        env: { MYPYPATH: join(installed.folder, 'site') },
      });
      expect(stdout).toMatch(/^Success/);
      const own = await installed.python(['-m', 'mypy', '--strict', driver, join(root, 'libs/sdk-python/pack.py')], {
        env: { MYPYPATH: join(installed.folder, 'site') },
      });
      expect(own.stdout).toMatch(/^Success/);
    });
  });
});
