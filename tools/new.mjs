#!/usr/bin/env node
// `npm run new -- endpoint NAME …` and `npm run new -- service NAME …`: the generators of tools/generators, run by Nx
// on our Node.js. `npm run new -- endpoint --help` names the options; `--dry-run` writes nothing.
// `npm run new -- example FRAMEWORK FOLDER` writes outside of the clone, which Nx does not.
import { spawnSync } from 'node:child_process';
import { generators, help, overview } from './generators/help.mjs';
import { nxEnvironment, nxProgram } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { run } from './setup/run.mjs';

const [generator, ...options] = process.argv.slice(2);
if (generator === undefined || generator.startsWith('-')) {
  process.stdout.write(overview());
  process.exit(0);
}
if (generator !== 'example' && !Object.hasOwn(generators, generator)) {
  process.stderr.write(`There is no generator ${generator}.\n\n${overview()}`);
  process.exit(2);
}
if (generator !== 'example' && options.some((option) => ['--help', '-h'].includes(option))) {
  process.stdout.write(help(generator));
  process.exit(0);
}

requireNode();
await ensureModules();
const node = bundledNode();
if (generator === 'example') run(node, 'generators/example/main.ts', options);
else {
  const args = [nxProgram, 'generate', `./tools/generators/generators.json:${generator}`, ...options];
  const done = spawnSync(node, args, { cwd: root, env: nxEnvironment(node), stdio: 'inherit' });
  process.exit(done.status ?? 1);
}
