#!/usr/bin/env node
// `node tools/check.mjs TARGET ...`: runs Nx targets such as `lint typecheck` on every project, with our Node.js.
import { spawnSync } from 'node:child_process';
import { takeBuildLock } from './setup/build-lock.mjs';
import { nx, nxEnvironment } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
const targets = process.argv.slice(2);
const release = await takeBuildLock();
const done = spawnSync(...nx(node, targets.length > 0 ? targets : ['build', 'lint', 'typecheck']), {
  cwd: root,
  env: nxEnvironment(node),
  stdio: 'inherit',
});
release();
process.exit(done.status ?? 1);
