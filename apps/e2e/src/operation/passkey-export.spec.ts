// Leaving: what the export has is enough for another server to accept the passkeys of all customers.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { claim, tokenOf } from '../sign-in/customer.fixture.ts';

interface Exported {
  subject: string;
  userHandle: string;
  rpId: string;
  credentialId: string;
  publicKey: string;
  signCount: number;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-passkeys-'));
let shop: Client;
let other: Client;

beforeAll(async () => {
  [{ shop }, { shop: other }] = await Promise.all([newClients({ shop: {} }), newClients({ shop: {} })]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

async function claimed(client: Client): Promise<{ subject: string; device: SoftwareAuthenticator }> {
  const { body } = await client.offer();
  const device = new SoftwareAuthenticator();
  await claim(client.app.org, tokenOf(body.claimUrl), device);
  return { subject: body.subject, device };
}

it('org passkeys exports what another server needs to accept each passkey of the organization alone', async () => {
  const customers = [await claimed(shop), await claimed(shop)];
  await claimed(other);
  const { org } = shop.app;
  const file = join(folder, 'passkeys.jsonl');
  expect(await stack.operator('org', 'passkeys', org, file)).toEqual({ shortId: org, passkeys: 2, file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const exported = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exported);
  expect(exported.map(({ subject }) => subject).sort()).toEqual(customers.map(({ subject }) => subject).sort());

  for (const { subject, device } of customers) {
    const passkey = exported.find((one) => one.subject === subject)!;
    const { rpId } = passkey;
    const options = await generateAuthenticationOptions({ rpID: rpId, challenge: new Uint8Array(randomBytes(32)) });
    const response = device.authenticate(options, { origin: `https://${rpId}` });
    expect((response.response as { userHandle: string }).userHandle).toBe(passkey.userHandle);
    const { verified } = await verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge: options.challenge,
      expectedOrigin: `https://${rpId}`,
      expectedRPID: rpId,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.signCount,
      },
    });
    expect(verified).toBe(true);
  }
  await eventually(async () =>
    expect((await stack.printed('audit', 'export', org)).stdout).toContain('organization.export_passkeys'),
  );
});

it('org passkeys overwrites no file, and names an organization that does not exist', async () => {
  const file = join(folder, 'passkeys.jsonl');
  expect((await stack.printed('org', 'passkeys', shop.app.org, file)).stderr).toContain(
    'exists, and nothing was written',
  );
  expect((await stack.printed('org', 'passkeys', 'nobody', join(folder, 'none'))).stderr).toContain(
    'There is no organization "nobody"',
  );
});
