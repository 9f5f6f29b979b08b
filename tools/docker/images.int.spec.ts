import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nodeOptions, serviceNames } from '@holdfast/contracts';
import { root } from '../setup/paths.mjs';

const images = [...serviceNames, 'cli'];
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
// Outside of the clone, where Node.js would find packages that no image has.
const folder = mkdtempSync(join(tmpdir(), 'holdfast-collect-'));

beforeAll(() => {
  execFileSync(process.execPath, ['docker/collect.mjs', join(folder, 'out')], { cwd: root });
  copyProductionModules(join(folder, 'out', 'shared', 'node_modules'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('docker-bake.hcl builds each image, with the version of package.json', () => {
  const bake = text('docker-bake.hcl');
  expect(JSON.parse(/matrix .*service = (\[.*\])/.exec(bake)![1]!)).toEqual(images);
  const { version } = JSON.parse(text('package.json')) as { version: string };
  expect(bake).toContain(`variable "VERSION" { default = "${version}" }`);
  expect(bake).toContain(/ARG NODE=(\S+)/.exec(text('docker/service.Dockerfile'))![1]);
});

test("the images set the heap sizes of the services, and the chart's limit leaves room for what is not heap", () => {
  const [, options = ''] = /^ENV NODE_OPTIONS="(.*)"$/m.exec(text('docker/service.Dockerfile')) ?? [];
  expect(options).toBe(nodeOptions);
  const args = ['-p', 'v8.getHeapStatistics().heap_size_limit / 2 ** 20'];
  const heapMib = Number(execFileSync(process.execPath, args, { env: { NODE_OPTIONS: options }, encoding: 'utf8' }));
  expect(heapMib).toBe(256 + 3 * 4);
  const [, limitMib] = /limits: \{ cpu: '2', memory: (\d+)Mi \}/.exec(text('k8s/holdfast/values.yaml')) ?? [];
  expect(Number(limitMib) - heapMib).toBeGreaterThan(200);
});

test('docker/compose.yaml has a read-only container of each service, with an environment file of its own', () => {
  const compose = text('docker/compose.yaml');
  for (const service of serviceNames) {
    const [, container = ''] = new RegExp(`\\n  ${service}:\\n((?:    .*\\n)+)`).exec(compose) ?? [];
    expect(container).toContain('<<: *service');
    expect(container).toContain(`args: { SERVICE: ${service} }`);
    expect(container).toContain(`image: holdfast/${service}\n`);
    expect(container).toContain(`env_file: ../.holdfast/docker/${service}.env`);
  }
  expect(compose).not.toMatch(/\b(sh|bash)\b,/);
});

test.each(serviceNames)('%s loads with the files and packages of its image, and names missing settings', (name) => {
  const { status, stderr, stdout } = start(name, []);
  expect(`${stdout}${stderr}`).toContain('BASE_URL');
  expect(`${stdout}${stderr}`).not.toMatch(/ERR_MODULE_NOT_FOUND|Cannot find/);
  expect(status).toBe(1);
});

test('the command line starts with the files and packages of its image', () => {
  const { status, stdout } = start('cli', ['--help']);
  expect(stdout).toContain('Usage: holdfast');
  expect(status).toBe(0);
});

test('the image of the command line has the migrations of every service with a database', () => {
  for (const service of serviceNames) {
    const file = join(folder, 'out', 'cli', 'apps', service, 'dist', 'migrate.js');
    expect([service, existsSync(file)]).toEqual([
      service,
      existsSync(join(root, 'apps', service, 'src', 'migrate.ts')),
    ]);
  }
});

test('the list of components names every package of an image, and none is written without packages', () => {
  const app = join(folder, 'sbom');
  cpSync(join(folder, 'out', 'manifests'), app, { recursive: true });
  const list = () =>
    spawnSync(process.execPath, [join(root, 'docker/sbom.mjs'), '.', 'sbom.cdx.json'], { cwd: app, encoding: 'utf8' });
  expect(list()).toMatchObject({ status: 1, stderr: expect.stringContaining('has no node_modules') });
  expect(existsSync(join(app, 'sbom.cdx.json'))).toBe(false);

  cpSync(join(folder, 'out', 'shared'), app, { recursive: true, verbatimSymlinks: true });
  rmSync(join(app, 'libs', 'testing'), { recursive: true, force: true });
  expect(list()).toMatchObject({ status: 0, stderr: '' });
  const { components } = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as {
    components: { 'bom-ref': string; purl: string }[];
  };
  const listed = components.map((component) => component['bom-ref']);
  expect(listed).toEqual([...new Set(listed)].sort());
  expect([...new Set(listed)].length).toBeGreaterThan(100);
  // The workspace's own are links, of apps to what only one image has.
  const names = packageNames(join(app, 'node_modules')).filter((name) => !name.startsWith('@holdfast/'));
  expect(['@holdfast/platform', ...names].filter((name) => !listed.some((ref) => ref.startsWith(`${name}@`)))).toEqual(
    [],
  );
  expect(components.filter(({ purl }) => !/^pkg:npm\/\S+@\d/.test(purl))).toEqual([]);

  rmSync(join(app, 'sbom.cdx.json'));
  rmSync(join(app, 'node_modules'), { recursive: true });
  mkdirSync(join(app, 'node_modules'));
  rmSync(join(app, 'libs'), { recursive: true });
  expect(list()).toMatchObject({ status: 1, stderr: expect.stringContaining('lists 0 installed packages') });
  expect(existsSync(join(app, 'sbom.cdx.json'))).toBe(false);
});

/** Of the packages at the top of a node_modules. */
function packageNames(modules: string): string[] {
  const namesIn = (of: string) => readdirSync(of).filter((name) => !name.startsWith('.'));
  return namesIn(modules).flatMap((name) =>
    name.startsWith('@') ? namesIn(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
}

function start(image: string, args: string[]): { status: number | null; stdout: string; stderr: string } {
  const app = join(folder, 'out', 'shared');
  cpSync(join(folder, 'out', image), app, { recursive: true, force: true, verbatimSymlinks: true });
  try {
    return spawnSync(process.execPath, ['service/main.js', ...args], { cwd: app, env: {}, encoding: 'utf8' });
  } finally {
    rmSync(join(app, 'service'));
    rmSync(join(app, 'apps'), { recursive: true });
  }
}

/** What `npm ci --omit=dev --omit=optional` installs, by the lock file. */
function copyProductionModules(target: string): void {
  const { packages } = JSON.parse(text('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  const wanted = Object.entries(packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.optional && !entry.devOptional)
    .map(([path]) => path);
  const links = wanted.filter((path) => packages[path]!.link);
  const top = wanted.filter((path) => !packages[path]!.link && !path.slice(1).includes('/node_modules/'));
  for (const path of [...links, ...top]) {
    const to = join(target, path.slice('node_modules/'.length));
    mkdirSync(dirname(to), { recursive: true });
    // Hard links where the file system allows them.
    const copied = spawnSync('cp', ['-al', join(root, path), to]);
    if (copied.status !== 0) cpSync(join(root, path), to, { recursive: true, verbatimSymlinks: true });
  }
}
