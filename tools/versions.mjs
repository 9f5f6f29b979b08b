#!/usr/bin/env node
// `npm run versions -- [--ref REF]`: services of another version and of this one beside each other, upgrade and
// rollback under load.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { houseNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = houseNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/versions/main.ts', process.argv.slice(2));
