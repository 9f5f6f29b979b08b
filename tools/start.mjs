#!/usr/bin/env node
// `npm start`: runs the full stack on this machine. This script needs only the machine's Node.js; it provides Node 24,
// the modules and the build, and then starts tools/launcher.
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { help, parseOptions } from './setup/options.mjs';
import { run } from './setup/run.mjs';
import { exitIfRunning } from './setup/running-stack.mjs';
import { given, settings } from './setup/settings.mjs';

requireNode();
const args = process.argv.slice(2);
const options = parse();
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
exitIfRunning();
await ensureModules();
const node = bundledNode();
// The build lock is held until the launcher has copied the build.
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
