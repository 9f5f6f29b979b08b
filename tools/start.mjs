#!/usr/bin/env node
// `npm start`: brings up the whole stack on this machine. What it does is in tools/launcher; this part only sees to it
// that Node 24, the modules and the build are there, with nothing but the Node.js of the machine.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { help, parseOptions } from './setup/options.mjs';
import { run } from './setup/run.mjs';
import { refuseWhileRunning } from './setup/running-stack.mjs';
import { given, settings } from './setup/settings.mjs';

requireNode();
const args = process.argv.slice(2);
const options = parse();
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
refuseWhileRunning();
await ensureModules();
const node = bundledNode();
// Nobody builds in this clone until the launcher has its own copy of what is built now.
const release = options.reset ? undefined : await ensureBuild(node);
run(node, 'launcher/main.ts', args, { ...given, HOLDFAST_BUILD_HELD: '1' }, release);

function parse() {
  try {
    return parseOptions(args, settings());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${help}`);
    return process.exit(2);
  }
}
