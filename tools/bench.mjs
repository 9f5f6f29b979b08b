#!/usr/bin/env node
// `npm run bench [-- ARGUMENTS]`: measures a stack of its own, beside whatever stack may be running.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
// The text of --help needs no build, and nothing is started for it (tools/testing/bench.ts).
if (!process.argv.includes('--help') && !process.argv.includes('-h')) (await ensureBuild(node))();
run(node, 'testing/bench.ts', process.argv.slice(2));
