import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredEndpoints } from '../declared-endpoints.js';
import { openApi } from './openapi.js';

// Two generators of others write a client from the API's description, and a program that calls each of them is type
// checked. A description that linters accept can still give code that does not compile.
const run = promisify(execFile);
const packages = join(import.meta.dirname, '../../../../node_modules');
const compiler = join(packages, 'typescript7/bin/tsc');
const description = openApi(declaredEndpoints(), 'https://id.example');

let folder: string;
beforeAll(async () => {
  // Inside of the project, so that the generated code finds the packages that it imports.
  folder = await mkdtemp(join(import.meta.dirname, 'generated-'));
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(description));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the compiler reports about the files of the folder; empty when they compile. */
async function errorsOf(...files: string[]): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return run(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('a client that is generated from the description compiles, and so does a program that calls it', () => {
  it('with openapi-typescript and openapi-fetch', async () => {
    await run(join(packages, '.bin/openapi-typescript'), ['openapi.json', '-o', 'schema.ts'], { cwd: folder });
    await writeFile(
      join(folder, 'fetch.ts'),
      `import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

const client = createClient<paths>({ baseUrl: 'https://id.example' });
const path = { shortId: 'acme' };
export async function offers(): Promise<string> {
  const created = await client.POST('/o/{shortId}/api/credentials/offers', { params: { path }, body: {} });
  const problem: components['schemas']['Problem'] | undefined = created.error;
  const list = await client.GET('/o/{shortId}/api/credentials/subjects', { params: { path, query: { limit: 10 } } });
  const token: string | null | undefined = list.data?.nextPageToken;
  // @ts-expect-error An offer has an id.
  created.data?.nothing;
  // @ts-expect-error The organization is required.
  await client.GET('/o/{shortId}/api/credentials/subjects', {});
  // @ts-expect-error A new app is required.
  await client.POST('/o/{shortId}/api/admin/apps', { params: { path } });
  return problem?.title ?? token ?? created.data!.claimUrl;
}
`,
    );
    expect(await errorsOf('fetch.ts')).toBe('');
  });

  it('with oazapfts, which has a function for each operation', async () => {
    await run(join(packages, '.bin/oazapfts'), ['openapi.json', 'functions.ts'], { cwd: folder });
    await writeFile(
      join(folder, 'calls.ts'),
      `import * as api from './functions';

export async function offers(): Promise<string> {
  const created = await api.createOffer('acme', {}, { idempotencyKey: 'key' });
  if (created.status !== 201) return created.data.title;
  const list = await api.listSubjects('acme', { limit: 10 });
  // @ts-expect-error An offer has an id.
  created.data.nothing;
  // @ts-expect-error The organization is required.
  await api.listSubjects();
  return list.status === 200 ? (list.data.nextPageToken ?? '') : created.data.claimUrl;
}
`,
    );
    expect(await errorsOf('calls.ts')).toBe('');
    const names = new Set(Object.keys((await import(join(folder, 'functions.ts'))) as object));
    const ids = Object.values(description.paths as Record<string, Record<string, { operationId: string }>>)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId }) => operationId);
    const missing = ids.filter((id) => !names.has(id));
    expect(missing).toEqual([]);
  });
});
