#!/usr/bin/env node
// `npm run new -- endpoint NAME …` and `npm run new -- service NAME …`: the generators of tools/generators, run by Nx
// on our Node.js. `npm run new -- endpoint --help` names the options; `--dry-run` writes nothing.
import { spawnSync } from 'node:child_process';
import { nxEnvironment, nxProgram } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';

requireNode();
await ensureModules();
const [generator, ...options] = process.argv.slice(2);
if (generator === undefined) {
  console.error('Say what to generate: npm run new -- endpoint --help, or npm run new -- service --help');
  process.exit(2);
}
const node = bundledNode();
const done = spawnSync(node, [nxProgram, 'generate', `./tools/generators/generators.json:${generator}`, ...options], {
  cwd: root,
  env: nxEnvironment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
