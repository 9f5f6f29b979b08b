#!/usr/bin/env node
// `npm run versions -- [--ref REF]`: runs services of another version and of this one together, and upgrades and rolls
// back under load.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/versions/main.ts', process.argv.slice(2));
