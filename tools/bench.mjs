#!/usr/bin/env node
// `npm run bench [-- ARGUMENTS]`: measures an ephemeral stack. A running stack is left alone.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
// --help needs neither a build nor a stack (tools/testing/bench.ts).
if (!process.argv.includes('--help') && !process.argv.includes('-h')) (await ensureBuild(node))();
run(node, 'testing/bench.ts', process.argv.slice(2));
