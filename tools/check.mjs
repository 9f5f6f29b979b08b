#!/usr/bin/env node
// `node tools/check.mjs [--affected] TARGET ...`: runs Nx targets such as `typecheck` with the project's Node.js,
// on every project or on those that differ from main.
import { spawnSync } from 'node:child_process';
import { takeBuildLock } from './setup/build-lock.mjs';
import { nx, nxEnvironment } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
const affected = process.argv.includes('--affected');
const targets = process.argv.slice(2).filter((argument) => argument !== '--affected');
const release = await takeBuildLock();
const all = targets.length > 0 ? targets : ['build', 'typecheck'];
const done = spawnSync(...nx(node, all, affected ? ['affected'] : undefined), {
  cwd: root,
  env: nxEnvironment(node),
  stdio: 'inherit',
});
release();
process.exit(done.status ?? 1);
