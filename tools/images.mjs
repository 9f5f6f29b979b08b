#!/usr/bin/env node
// `npm run images`: builds all images with Docker, and checks sizes, digests and a running stack. docker/README.md.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, 'docker/images.ts', process.argv.slice(2));
