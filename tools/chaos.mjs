#!/usr/bin/env node
// `npm run chaos -- --kills N --seed S`: kill -9 of any process of a house of its own while customers live their lives; then
// everything that was acknowledged must be there, once.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { houseNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = houseNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/chaos/main.ts', process.argv.slice(2));
