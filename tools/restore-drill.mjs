#!/usr/bin/env node
// `npm run restore-drill -- --changes N --seed S`: loses the database host of a stack under load, restores it
// with the commands of the runbook, and checks that what the backup promises is there.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/restore/main.ts', process.argv.slice(2));
