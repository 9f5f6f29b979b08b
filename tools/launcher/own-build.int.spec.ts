import { execFile } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serviceNames } from '@holdfast/contracts';
import { buildOf, cache, mainOf, programOf, root } from '../setup/paths.mjs';

/** In a process of its own, as the launcher: Rolldown's binary does not know the objects of jest's contexts. */
async function ownBuild(stack: string, clone = root): Promise<string> {
  const program =
    'const { ownBuild } = await import(process.argv[1]); console.log(await ownBuild(...process.argv.slice(2)));';
  const module = join(root, 'tools', 'launcher', 'own-build.ts');
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, module, stack, clone];
  return (await promisify(execFile)(process.execPath, args)).stdout.trim();
}

const home = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
let copy: string;
beforeAll(async () => {
  copy = await ownBuild(home);
});
afterAll(() => rmSync(buildOf(home), { recursive: true, force: true }));

const help = (folder: string): Promise<string> =>
  promisify(execFile)(process.execPath, [mainOf(folder, 'cli'), 'org', '--help']).then(
    ({ stdout }) => stdout,
    (error: Error) => error.message,
  );

/** What a program prints without settings and arguments: a service names those that are missing. */
function firstOutput(program: string): Promise<string> {
  return promisify(execFile)(process.execPath, [program], { env: {} }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

test.each(serviceNames)('the bundle of %s starts, and names the settings that are missing', async (name) => {
  expect(programOf(copy, name)).toBe(join(copy, 'bundle', `${name}.js`));
  expect(await firstOutput(programOf(copy, name))).toContain('NATS_URL: is missing: it must be text');
});

test('a bundle prints what its modules print', async () => {
  expect(await firstOutput(programOf(copy, 'cli'))).toBe(await firstOutput(mainOf(copy, 'cli')));
});

test('a bundle loads none of its packages a second time', async () => {
  const loaded = `process.once('exit', () => console.log(Object.keys(require.cache).join('\\n')))`;
  const preload = join(process.env.TEST_TMP ?? '', 'loaded.cjs');
  writeFileSync(preload, loaded);
  const run = promisify(execFile)(process.execPath, ['-r', preload, programOf(copy, 'issuance')], { env: {} });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const packages = new Set([...stdout.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name]) => name!));
  expect(packages).toContain('pg');
  // What pg requires.
  expect([...packages].filter((name) => !/^(pg(-.+)?|pgpass|postgres-.+|split2|xtend)$/.test(name))).toEqual([]);
});

interface Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; count: number }[] }[] }[];
}

/** The modules of contracts that ran, by the comment that Rolldown writes before each. */
function contractsThatRan(coverage: Coverage): string[] {
  return coverage.result
    .filter(({ url }) => url.startsWith(pathToFileURL(join(copy, 'bundle')).href))
    .flatMap(({ url, functions }) => {
      const text = readFileSync(fileURLToPath(url), 'utf8');
      const ran = functions.filter(({ ranges }) => ranges[0]!.startOffset > 0 && ranges[0]!.count > 0);
      return [...text.matchAll(/^\/\/ libs\/contracts\/dist\/(.+)\.js$/gm)].flatMap(({ 1: name, index }) => {
        const end = text.indexOf('\n// ', index + 1);
        const isIn = (offset: number) => offset > index && (end < 0 || offset < end);
        return ran.some(({ ranges }) => isIn(ranges[0]!.startOffset)) ? [name!] : [];
      });
    });
}

test('a command runs the contracts that it uses, since those of all services are a third of its time', async () => {
  const folder = mkdtempSync(join(process.env.TEST_TMP ?? '', 'coverage-'));
  const run = promisify(execFile)(process.execPath, [programOf(copy, 'cli'), 'org', 'list'], {
    env: { NODE_V8_COVERAGE: folder },
  });
  await expect(run).rejects.toThrow('NATS_URL');
  const coverage = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8')) as Coverage;
  const ran = contractsThatRan(coverage);
  expect(ran).toEqual(expect.arrayContaining(['validation-messages', 'directory/organizations']));
  expect(ran.filter((name) => /^(registry|signals\/(webhooks|ssf)|issuance\/offers)/.test(name))).toEqual([]);
});

test('the same modules are bundled once', async () => {
  const before = readdirSync(join(cache, 'bundles'));
  const other = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  await ownBuild(other);
  expect(readdirSync(join(cache, 'bundles'))).toEqual(before);
  rmSync(buildOf(other), { recursive: true });
  rmSync(other, { recursive: true });
});

test('a stack has its own copy of the build, and shares no file of it with the clone', async () => {
  expect(await help(copy)).toBe(await help(root));
  // An incomplete file of a library that the command imports, as a compiler leaves it for a moment.
  appendFileSync(join(copy, 'libs', 'contracts', 'dist', 'index.js'), '\nexport const half =');
  expect(await help(copy)).toContain('SyntaxError');
  expect(await help(root)).toContain('Usage');
});

test('the copy of a stack whose folder was deleted is removed at the next start of any stack', async () => {
  rmSync(home, { recursive: true });
  const other = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  await ownBuild(other);
  expect([existsSync(copy), existsSync(buildOf(other))]).toEqual([false, true]);
  rmSync(buildOf(other), { recursive: true });
});

test('a folder without a package.json is not copied, as a deleted project leaves it with its build', async () => {
  const clone = mkdtempSync(join(process.env.TEST_TMP ?? '', 'clone-'));
  for (const name of ['removed', 'built', 'unbuilt']) mkdirSync(join(clone, 'libs', name), { recursive: true });
  for (const name of ['removed', 'built']) {
    mkdirSync(join(clone, 'libs', name, 'dist'));
    writeFileSync(join(clone, 'libs', name, 'dist', 'index.js'), '');
  }
  for (const name of ['built', 'unbuilt']) writeFileSync(join(clone, 'libs', name, 'package.json'), '{}');
  const stack = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  const folder = await ownBuild(stack, clone);
  expect(readdirSync(join(folder, 'libs'))).toEqual(['built']);
  expect(readdirSync(join(folder, 'node_modules', '@holdfast'))).toEqual(['built']);
  rmSync(folder, { recursive: true });
});
