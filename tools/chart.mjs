#!/usr/bin/env node
// `npm run chart`: packs the chart as an archive and as an OCI artifact, and signs it. docs/deploy.md.
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
run(bundledNode(), 'chart/main.ts', process.argv.slice(2));
