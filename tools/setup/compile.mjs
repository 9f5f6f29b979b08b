import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { takeBuildLock } from './build-lock.mjs';
import { cache, root } from './paths.mjs';

/** What `npm start` runs. It is apart from the projects' `dist`, which tsc writes for tests, checks and images. */
const compiled = join(cache, 'compiled');
const hashFile = 'inputs.sha256';

/**
 * Compiles apps and libs without checking types, unless they are compiled already. The folder has the layout of the
 * clone: `apps/gateway/dist/main.js`, with a `node_modules/@holdfast` of its own.
 * @param {string} node the project's Node.js
 * @returns {Promise<{ folder: string, release: () => void }>} `release` ends the build lock; to be called once the
 *   folder has been read
 */
export async function ensureCompiled(node) {
  const release = await takeBuildLock();
  const sources = sourceFiles();
  const inputs = hashOf(sources);
  const before = join(compiled, hashFile);
  if (!existsSync(before) || readFileSync(before, 'utf8') !== inputs) {
    const startedAt = Date.now();
    try {
      await compileAll(node, sources, inputs);
    } catch (error) {
      release();
      console.error(`The build failed: ${error instanceof Error ? error.message : error}`);
      process.exit(1);
    }
    // Not to the output of a command, which may be JSON.
    console.error(`Compiled ${sources.length} files (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  }
  return { folder: compiled, release };
}

/**
 * Into another folder that replaces the earlier one when it is complete, so that no file of a deleted source stays.
 * @param {string} node
 * @param {string[]} sources
 * @param {string} inputs
 */
async function compileAll(node, sources, inputs) {
  const draft = `${compiled}.${process.pid}`;
  const { transformFile } = await import('@swc/core');
  const configFile = join(root, '.swcrc');
  const modules = join(draft, 'node_modules', '@holdfast');
  mkdirSync(modules, { recursive: true });
  for (const project of projects()) {
    mkdirSync(join(draft, project), { recursive: true });
    cpSync(join(root, project, 'package.json'), join(draft, project, 'package.json'));
    symlinkSync(relative(modules, join(draft, project)), join(modules, basename(project)));
  }
  const hub = buildHub(node, draft);
  await Promise.all(
    sources.filter(isModule).map(async (path) => {
      const { code, map } = await transformFile(join(root, path), { configFile, sourceMaps: true });
      const target = join(draft, path.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
      await writeFile(`${target}.map`, map ?? '');
    }),
  );
  await Promise.all([hub, buildPages(node, draft)]);
  await writeFile(join(draft, hashFile), inputs);
  rmSync(compiled, { recursive: true, force: true });
  renameSync(draft, compiled);
}

/**
 * Pages and hub are bundled for browsers.
 * @param {string} node
 * @param {string[]} args
 */
async function bundle(node, args) {
  const done = promisify(execFile)(node, args, { cwd: root });
  await done.catch(({ stdout, stderr }) => {
    throw new Error(`The pages could not be built:\n${stdout}${stderr}`);
  });
}

/**
 * @param {string} node
 * @param {string} folder
 */
function buildPages(node, folder) {
  const script = join(root, 'apps', 'pages', 'src', 'build', 'build.ts');
  const target = join(folder, 'apps/pages/dist');
  return bundle(node, ['--disable-warning=ExperimentalWarning', ...useOf(folder), script, target]);
}

/**
 * From the sources alone, so that it runs while the others are compiled.
 * @param {string} node
 * @param {string} folder
 */
function buildHub(node, folder) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(root, 'apps', 'hub', 'src', 'build', 'vite.config.ts');
  const target = join(folder, 'apps/hub/dist');
  return bundle(node, [vite, 'build', '--config', config, '--outDir', target, '--logLevel', 'warn']);
}

/**
 * Options of Node.js for programs of the clone whose imports of @holdfast/… shall come from a compiled folder.
 * @param {string} folder
 */
export function useOf(folder) {
  const hooks = pathToFileURL(join(root, 'tools', 'setup', 'use-compiled.mjs'));
  hooks.searchParams.set('folder', folder);
  return ['--import', hooks.href];
}

/** Apps and libraries, relative to the clone. */
function projects() {
  return ['apps', 'libs'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}`)
      .filter((path) => existsSync(join(root, path, 'tsconfig.lib.json'))),
  );
}

/** Everything that the compiled files are made from, without tests. */
function sourceFiles() {
  return projects().flatMap((project) =>
    readdirSync(join(root, project, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.[a-z]+$/.test(path) && !/\.(spec|fixture)\.ts$/.test(path))
      .map((path) => `${project}/src/${path}`)
      .sort(),
  );
}

/** Pages and hub are bundled for browsers instead. @param {string} path */
function isModule(path) {
  return path.endsWith('.ts') && !/^apps\/(pages|hub)\//.test(path);
}

/** @param {string[]} sources */
function hashOf(sources) {
  const manifests = projects().map((project) => `${project}/package.json`);
  const hash = createHash('sha256');
  for (const path of [...sources, ...manifests, '.swcrc', 'package-lock.json', 'tools/setup/compile.mjs'])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}
