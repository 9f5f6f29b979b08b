#!/usr/bin/env node
// `node tools/generate.mjs [--check]`: writes docs/reference from the build, or checks that it is up to date.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, 'generate/main.ts', process.argv.slice(2));
