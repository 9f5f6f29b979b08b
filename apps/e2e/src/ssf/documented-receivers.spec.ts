// The receivers of docs/shared-signals.md, as they stand there, follow a customer.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { codeBlock, eventually } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { root } from '../stack/stack.ts';
import { newReceiver } from './receivers.fixture.ts';

const programs = {
  typescript: { file: 'receiver.ts', command: process.execPath },
  python: { file: 'receiver.py', command: 'python3' },
};
// Debian has PyJWT as python3-jwt; without it, Python says at least whether the receiver is valid.
const hasPyJwt = spawnSync('python3', ['-c', 'import jwt, cryptography']).status === 0;
const languages = (['typescript', 'python'] as const).filter((language) => language !== 'python' || hasPyJwt);

let shop: Client;
let admin: Client;
let folder: string;
let program: ChildProcess | undefined;
beforeAll(async () => {
  ({ shop, admin } = await newClients({ shop: {}, admin: { kind: 'service', grants: ['ssf:manage'] } }));
  // In the repository, so that its import finds the package.
  mkdirSync(join(root, '.holdfast'), { recursive: true });
  folder = mkdtempSync(join(root, '.holdfast', 'receiver-'));
});
afterEach(() => void program?.kill());
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  closeConnections();
});

describe.each(languages)('the receiver in %s', (language) => {
  it('prints what happens to a customer, from the claim to the erasure', async () => {
    const { client } = await newReceiver(admin, { name: `Documented ${language}` });
    const { file, command } = programs[language];
    writeFileSync(join(folder, file), codeBlock('shared-signals.md', language));
    let output = '';
    let errors = '';
    program = spawn(command, [join(folder, file)], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        ISSUER: `${stack.baseUrl}/o/${client.app.org}`,
        CLIENT_ID: client.app.clientId,
        CLIENT_SECRET: client.app.clientSecret,
      },
    });
    program.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    program.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    await eventually(async () => {
      const { body } = await client.call<object[]>('GET', `/o/${client.app.org}/ssf/streams`);
      return body.length > 0 || Promise.reject(new Error(errors));
    });
    const { subject, credentialId } = await newCustomer(shop);
    await shop.manage('suspend', credentialId);
    const events = () =>
      output
        .split('\n')
        .filter((line) => line.endsWith(` ${subject}`))
        .map((line) => line.split(' ')[0]!.split('/').at(-1));
    await eventually(() => events().length >= 4 || Promise.reject(new Error(errors)));
    await shop.erase(subject);
    await eventually(() => events().includes('account-purged'));
    expect(events()).toEqual([
      ...['credential-change', 'credential-change', 'session-revoked', 'account-disabled'],
      ...['session-revoked', 'account-purged'],
    ]);
  });
});

it('the receiver in Python is valid', () => {
  const python = spawnSync('python3', [
    '-c',
    `compile(${JSON.stringify(codeBlock('shared-signals.md', 'python'))}, "receiver", "exec")`,
  ]);
  if (python.error) return;
  expect([python.status, python.stderr.toString()]).toEqual([0, '']);
});
