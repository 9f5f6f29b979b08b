#!/usr/bin/env node
// `npm run dev`: watches the sources while a stack runs (`npm start`), builds changes and restarts the services whose
// build has changed. The work is done by tools/launcher/dev.ts.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';

requireNode();
await ensureModules();
const node = bundledNode();
// A build of a later change is compared with this one.
(await ensureBuild(node))();
const script = join(root, 'tools', 'launcher', 'dev.ts');
const child = spawn(node, ['--disable-warning=ExperimentalWarning', script], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGTERM'));
child.once('exit', (status) => process.exit(status ?? 1));
