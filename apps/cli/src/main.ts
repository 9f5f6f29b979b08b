#!/usr/bin/env node
import module from 'node:module';

// Compiling the modules takes a third of a command's time. The cache is in the folder for temporary files; Node.js does
// without where it cannot write.
module.enableCompileCache?.();
// The first process of a container ignores SIGTERM without a handler, and Kubernetes would wait until it kills it.
process.once('SIGTERM', () => process.exit(143));
const { runCommand } = await import('./run-command.js');

const exitCode = await runCommand(process.argv.slice(2));
// A connection attempt in progress must not keep the process alive.
process.exit(exitCode);
