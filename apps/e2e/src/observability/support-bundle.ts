// What an operator sends to support: it says much about the deployment, and nothing about anybody. Canaries are in
// every place from which the bundle collects.
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '@holdfast/contracts';
import type { PrivateStack } from '../chaos/private-stack.ts';
import { Client } from '../clients/client.ts';
import { customerScopes } from '../clients/under-test.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { root } from '../stack/stack.ts';

interface Written {
  file: string;
  parts: { file: string; bytes: number; missing?: string }[];
}

const org = 'canaryorg';
/** The stack needs these settings, and two gateways. */
export const supportBundleSettings = { METRICS_ORGANIZATIONS: org };
const services = ['gateway', 'auth', 'issuance', 'subjects', 'audit', 'directory', 'signals'];
const canaries = new Map<string, string>([
  ['the organization', org],
  ['the host name', hostname()],
]);

const missing = ({ parts }: Written) => parts.filter((part) => part.missing !== undefined).map(({ file }) => file);
const parsed = <T>(files: Map<string, string>, name: string) => JSON.parse(files.get(name)!) as T;

/** Stops NATS and PostgreSQL of the stack for some time, so this comes last. */
export function testSupportBundle(ownStack: PrivateStack): void {
  describe('holdfast support-bundle', () => {
    beforeAll(async () => {
      await ownStack.operator('org', 'create', org, '--name', 'Canary Organization Ltd');
      const app = await ownStack.newApp(org, 'canaryapp', customerScopes, 'web', ['https://canary-site.example/in']);
      const shop = new Client(ownStack, app);
      const { body: offer } = await shop.offer({ returnUrl: 'https://canary-site.example/in' });
      await shop.get(offer.subject);
      await shop.get(randomUUID());
      const { user, invitationUrl } = await ownStack.operator<{ user: User; invitationUrl: string }>(
        ...['person', 'invite', org, '--email', 'canary.person@mail.example', '--name', 'Canarella Birdsong'],
      );
      // An unauthenticated caller names what it likes.
      await fetch(`${ownStack.baseUrl}/o/${org}/api/credentials/subjects?canaryquery=canaryvalue`, {
        headers: { 'user-agent': 'CanaryBrowser/1', authorization: 'Bearer canarytoken' },
      });
      for (const [name, secret] of Object.entries(ownStack.secrets)) canaries.set(`the secret ${name}`, secret);
      for (const { name, clientId, clientSecret } of ownStack.demo.organizations.flatMap(({ apps }) => apps)) {
        canaries.set(`the id of the demo app ${name}`, clientId);
        if (clientSecret) canaries.set(`the secret of the demo app ${name}`, clientSecret);
      }
      for (const [what, value] of Object.entries({
        app: app.clientId,
        appSecret: app.clientSecret,
        appName: 'canaryapp',
        redirectUri: 'canary-site',
        organizationName: 'Canary Organization',
        customer: offer.subject,
        offer: offer.offerId,
        credential: offer.credentialId,
        claimToken: new URL(offer.claimUrl).hash.slice(1),
        person: user.id,
        email: 'canary.person',
        name: 'Canarella',
        invitation: new URL(invitationUrl).hash.slice(1),
        query: 'canaryvalue',
        browser: 'CanaryBrowser',
        token: 'canarytoken',
        databaseUrl: ownStack.launcher.databaseUrl,
        natsUrl: ownStack.launcher.natsUrl,
        baseUrl: ownStack.baseUrl,
      }))
        canaries.set(what, value);
    });

    /** Makes a bundle, unpacks it, and resolves to its files. None of them has a canary. */
    async function bundle(name: string): Promise<{ written: Written; files: Map<string, string> }> {
      const folder = join(ownStack.home, name);
      mkdirSync(folder);
      const written = await ownStack.operator<Written>('support-bundle', '--out', join(folder, 'bundle.tar.gz'));
      expect(statSync(written.file).mode & 0o777).toBe(0o600);
      execFileSync('tar', ['-xzf', written.file], { cwd: folder });
      const root = join(folder, 'support-bundle');
      const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((one) => /\.(json|txt)$/.test(one));
      const files = new Map(names.map((one) => [one, readFileSync(join(root, one), 'utf8')]));
      const found = [...canaries].flatMap(([what, value]) =>
        [...files].filter(([, content]) => content.includes(value)).map(([file]) => `${what} in ${file}`),
      );
      expect(found).toEqual([]);
      expect(JSON.parse(files.get('contents.json')!)).toMatchObject({ parts: written.parts });
      return { written, files };
    }

    it('contains versions, settings, metrics, findings, streams and tables, and no secret, id or name', async () => {
      // The metrics have the organization, so the bundle had to replace it.
      const { readyUrl } = ownStack.demo.services.find(({ name }) => name === 'issuance')!;
      expect((await fetch(new URL('/metrics', readyUrl))).status).toBe(200);
      const { written, files } = await bundle('up');
      expect(missing(written)).toEqual([]);
      const reports = services.map((service) =>
        parsed<{ version: string; build: string; settings: Record<string, unknown> }>(
          files,
          `replicas/${service}-1.json`,
        ),
      );
      for (const { version, build, settings } of reports) {
        expect([version, build]).toEqual([
          expect.stringMatching(/^\d+\.\d+\.\d+/),
          expect.stringMatching(/^[0-9a-f]{16}$/),
        ]);
        expect(settings).toMatchObject({ LOG_LEVEL: 'info', NATS_NKEY_SEED: '(set)', NATS_URL: '(set)' });
      }
      expect(files.has('replicas/gateway-2.json')).toBe(true);
      const metrics = ['1', '2'].map((n) => files.get(`replicas/gateway-${n}.metrics.txt`)).join('');
      expect(metrics).toMatch(/holdfast_http_requests_total.*organization="<organization:[0-9a-f]{12}>"/);
      expect(parsed<{ check: string }[]>(files, 'doctor.json').map(({ check }) => check)).toContain('migrations');
      expect(
        parsed<{ streams: { stream: string }[] }>(files, 'streams.json').streams.map(({ stream }) => stream),
      ).toEqual(expect.arrayContaining(['ISSUANCE', 'DIRECTORY']));
      const database = parsed<{
        settings: object;
        migrations: Record<string, string[]>;
        tables: { table: string; bytes: number }[];
      }>(files, 'database.json');
      expect(database.settings).toHaveProperty('server_version');
      expect(database.migrations.issuance!.length).toBeGreaterThan(0);
      expect(database.tables.find(({ table }) => table === 'issuance.outbox')!.bytes).toBeGreaterThan(0);
    });

    it('is written to standard output, with its contents on the standard error', async () => {
      const program = join(root, 'tools', 'holdfast.mjs');
      const run = promisify(execFile)(process.execPath, [program, 'support-bundle', '--out', '-'], {
        env: cleanEnvironment({ HOLDFAST_HOME: ownStack.home }),
        encoding: 'buffer',
        maxBuffer: 50_000_000,
      });
      const { stdout, stderr } = await run;
      const names = execFileSync('tar', ['-tzf', '-'], { input: stdout, encoding: 'utf8' }).trim().split('\n');
      expect(names).toEqual(
        expect.arrayContaining(['contents.json', 'database.json'].map((f) => `support-bundle/${f}`)),
      );
      expect(stderr.toString()).toMatch(/FILE +BYTES +MISSING\n[^]*database\.json/);
    });

    it('overwrites no file', async () => {
      const file = join(ownStack.home, 'taken');
      mkdirSync(file);
      await expect(ownStack.operator('support-bundle', '--out', file)).rejects.toThrow(
        /exists, and nothing was written/,
      );
    });

    it('has everything else while NATS is stopped, and says what is missing', async () => {
      await ownStack.control('stop', 'nats');
      try {
        const { written } = await bundle('without-nats');
        expect(missing(written)).toEqual(['replicas', 'streams.json']);
      } finally {
        await ownStack.control('start', 'nats');
      }
    });

    it('has everything else while PostgreSQL is stopped, and says what is missing', async () => {
      await ownStack.control('stop', 'postgres');
      try {
        const { written } = await bundle('without-postgres');
        expect(missing(written)).toContain('database.json');
        expect(written.parts.map(({ file }) => file)).toEqual(
          expect.arrayContaining(services.map((service) => `replicas/${service}-1.json`)),
        );
      } finally {
        await ownStack.control('start', 'postgres');
      }
    });
  });
}
