#!/usr/bin/env node
// `npm run bench [-- ARGUMENTS]`: measures a house of its own, beside whatever house may be running.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { houseNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = houseNode();
await ensureBuild(node);
run(node, 'testing/bench.ts', process.argv.slice(2));
