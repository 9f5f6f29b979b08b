#!/usr/bin/env node
// The pre-commit hook: formats staged files. It installs the packages of checks when `npm start` has left them out.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureModules } from './setup/modules.mjs';
import { requireNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';

requireNode();
await ensureModules();
const program = join(root, 'node_modules', 'lint-staged', 'bin', 'lint-staged.js');
process.exit(spawnSync(process.execPath, [program], { cwd: root, stdio: 'inherit' }).status ?? 1);
