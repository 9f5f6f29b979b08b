#!/usr/bin/env node
// `npm start`: runs the full stack on this machine. This script needs only the machine's Node.js; it provides Node 24,
// what running needs of the packages, compiles without checking types, and then starts tools/launcher.
import { ensureCompiled, useOf } from './setup/compile.mjs';
import { ensureRuntimeModules } from './setup/modules.mjs';
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
await ensureRuntimeModules();
const node = bundledNode();
// The build lock is held until the launcher has copied the compiled folder.
const { folder, release } = await ensureCompiled(node);
run(node, 'launcher/main.ts', args, { ...given, HOLDFAST_COMPILED: folder }, release, useOf(folder));

function parse() {
  try {
    return parseOptions(args, settings());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${help}`);
    return process.exit(2);
  }
}
