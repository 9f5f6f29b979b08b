#!/usr/bin/env node
import { CommanderError, type Command } from 'commander';
import { CommandError, sentence } from './command-error.js';
import { createProgram } from './program.js';

let command: Command | undefined;
try {
  await createProgram()
    .hook('preAction', (_, given) => void (command = given))
    .parseAsync();
} catch (error) {
  // Commander has said already what it did not understand; help and version are no errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`${sentence(error, command)}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}
// What is left open (a connection that is still being tried) must not keep a command.
process.exit();
