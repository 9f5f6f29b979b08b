#!/usr/bin/env node
// `node tools/docker.mjs`: writes the secrets and settings that docker/compose.yaml reads. See docker/README.md.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { run } from './setup/run.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
(await ensureBuild(node))();
run(node, 'docker/main.ts', []);
