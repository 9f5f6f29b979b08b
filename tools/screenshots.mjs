#!/usr/bin/env node
// `npm run screenshots [-- FOLDER]`: a picture of every screen of the hub and of every page of customers, wide and
// narrow, light and dark, in each language, from the running stack.
import { join, resolve } from 'node:path';
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { run } from './setup/run.mjs';
import { notRunning, runningStack } from './setup/running-stack.mjs';

requireNode();
await ensureModules();
const stack = runningStack();
if (!stack) {
  console.error(notRunning);
  process.exit(1);
}
const folder = resolve(process.argv[2] ?? join(root, 'screenshots'));
const node = bundledNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/screenshots/main.ts', [stack.baseUrl, folder]);
