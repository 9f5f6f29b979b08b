import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { reloadServerTls } from './server-tls.js';

let folder: string;
let loaded: unknown[];
let reports: (string | undefined)[];
let stop: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'server-tls-'));
  [loaded, reports] = [[], []];
  write('first');
  const server = {
    setSecureContext: ({ cert }: { cert?: unknown }) => {
      if (cert === 'broken') throw new Error('no start line');
      loaded.push(cert);
    },
  };
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  stop = reloadServerTls(server, files, (error) => void reports.push(error?.message), 5);
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true });
});

function write(cert: string): void {
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), 'key');
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

it('loads a renewed certificate once', async () => {
  write('second');
  await until(() => loaded.length > 0);
  await sleep(30);
  expect([loaded, reports]).toEqual([['second'], [undefined]]);
});

it('reports a certificate that cannot be used once, and loads the next one', async () => {
  write('broken');
  await until(() => reports.length > 0);
  await sleep(30);
  expect([loaded, reports]).toEqual([[], ['no start line']]);
  write('third');
  await until(() => loaded.length > 0);
  expect(loaded).toEqual(['third']);
});

it('keeps the certificate in use while a file is missing', async () => {
  rmSync(join(folder, 'tls.key'));
  await until(() => reports.length > 0);
  expect([loaded.length, reports]).toEqual([0, [expect.stringContaining('ENOENT')]]);
});
