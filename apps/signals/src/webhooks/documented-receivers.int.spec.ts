// The receivers of docs/webhooks.md, as they stand there, get what the service sends.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { testWebhookEndpoint, updateWebhookEndpoint } from '@holdfast/contracts';
import { codeBlock, eventually, testContext } from '@holdfast/testing';
import { offered, WebhooksStack } from './webhooks-stack.fixture.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const programs = {
  typescript: { file: 'receiver.ts', command: process.execPath },
  python: { file: 'receiver.py', command: 'python3' },
};
const hasPython = spawnSync('python3', ['--version']).status === 0;
const languages = (['typescript', 'python'] as const).filter((language) => language !== 'python' || hasPython);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(languages)('the receiver in %s', (language) => {
  let stack: WebhooksStack;
  let port: number;
  let folder: string;
  let program: ChildProcess | undefined;
  beforeAll(async () => {
    port = await freePort();
    stack = await WebhooksStack.start([`http://127.0.0.1:${port}`]);
    stack.clock.advance(Date.now() - stack.clock.now().getTime());
    // In the repository, so that its import finds the package.
    mkdirSync(join(root, '.holdfast'), { recursive: true });
    folder = mkdtempSync(join(root, '.holdfast', 'receiver-'));
  });
  afterEach(() => void program?.kill());
  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('prints each event once, and refuses what another secret has signed', async () => {
    const { id, secret } = await stack.create('/x');
    const url = `http://127.0.0.1:${port}/`;
    await stack.bus.request(updateWebhookEndpoint, { id, changes: { url } }, testContext({ org: 'acme' }));
    const { file, command } = programs[language];
    writeFileSync(join(folder, file), codeBlock('webhooks.md', language));
    program = spawn(command, [join(folder, file)], {
      env: { ...process.env, NODE_OPTIONS: '', WEBHOOK_SECRET: secret, PORT: String(port) },
    });
    let output = '';
    let errors = '';
    program.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    program.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const test = () => stack.bus.request(testWebhookEndpoint, { id }, testContext({ org: 'acme' }));
    await eventually(async () => (await test()).delivered || Promise.reject(new Error(errors)));
    await stack.publish(offered());
    await eventually(() => Promise.resolve(output.split('\n').length >= 3));
    expect(output.trim().split('\n').at(-1)).toBe('offer.created');
    const other = await stack.create('/y');
    await stack.bus.request(updateWebhookEndpoint, { id: other.id, changes: { url } }, testContext({ org: 'acme' }));
    const refused = await stack.bus.request(testWebhookEndpoint, { id: other.id }, testContext({ org: 'acme' }));
    expect(refused).toMatchObject({ delivered: false, status: 401 });
  });
});
