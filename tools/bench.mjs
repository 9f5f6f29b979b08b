#!/usr/bin/env node
// `npm run bench [-- ARGUMENTS]`: measures an ephemeral stack, alone or alternately with that of another commit (`ab`),
// or compares saved results (`compare`). A running stack is left alone.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
const [command, ...more] = process.argv.slice(2);
if (command === 'compare') {
  run(node, '../bench/history/compare-main.ts', more);
} else {
  // --help needs neither a build nor a stack (tools/testing/bench.ts).
  if (!process.argv.includes('--help') && !process.argv.includes('-h')) (await ensureBuild(node))();
  if (command === 'ab') run(node, 'testing/bench-ab.ts', more);
  else run(node, 'testing/bench.ts', process.argv.slice(2));
}
