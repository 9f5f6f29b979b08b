#!/usr/bin/env node
// `npm run chaos -- --kills N --hangs N --seed S`: kill -9 of any process of a stack of its own, then replicas that are
// paused or cut off, while customers live their lives; then everything that was acknowledged must be there, once.
// `--throughput SERVICE,…` measures in place of that what one hung replica of each costs.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/chaos/main.ts', process.argv.slice(2));
