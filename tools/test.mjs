#!/usr/bin/env node
// `npm test [-- STAGE ...] [-- ARGUMENTS FOR JEST]`: everything, or the stages named (unit, integration, e2e).
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, 'testing/main.ts', process.argv.slice(2));
