#!/usr/bin/env node
// `npm run chaos -- --kills N --hangs N --seed S`: starts an ephemeral stack, kills any of its processes with kill -9,
// then pauses replicas or cuts them off while customers use it. Afterwards everything that was acknowledged must exist,
// once. `--throughput SERVICE,…` measures instead what one hung replica of each service costs.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, '../apps/e2e/src/chaos/main.ts', process.argv.slice(2));
