#!/usr/bin/env node
import { CommanderError, type Command } from 'commander';
import { CommandError, errorMessage } from './command-error.js';
import { createProgram } from './program.js';

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
