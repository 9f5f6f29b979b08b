#!/usr/bin/env node
import module from 'node:module';
import { CommanderError, type Command } from 'commander';

// Compiling the modules takes a third of a command's time. The cache is in the folder for temporary files; Node.js does
// without where it cannot write.
module.enableCompileCache?.();
const { CommandError, errorMessage } = await import('./command-error.js');
const { createProgram } = await import('./program.js');

let command: Command | undefined;
try {
  await createProgram()
    .hook('preAction', (_, actionCommand) => void (command = actionCommand))
    .parseAsync();
} catch (error) {
  // Commander has printed usage errors already. It throws for --help and --version as well, which are no errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`${errorMessage(error, command)}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}
// A connection attempt in progress must not keep the process alive.
process.exit();
