#!/usr/bin/env node
// `npm run cluster`: installs the chart in the cluster of the current context of kubectl, in a namespace of its own.
// Then it upgrades, rolls back, evicts and kills under load. See CONTRIBUTING.md.
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
run(bundledNode(), 'cluster/main.ts', process.argv.slice(2));
