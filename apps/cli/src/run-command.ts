import { CommanderError, type Command } from 'commander';
import { CommandError } from './command-error.js';
import { createProgram } from './program.js';

/**
 * Runs one command line, prints what it prints, and resolves to its exit code. It sets nothing of the process, so that
 * a program may run several of them.
 *
 * @param args without the program's name
 */
export async function runCommand(args: string[]): Promise<number> {
  let command: Command | undefined;
  try {
    const program = await createProgram(args);
    await program
      .hook('preAction', (_, actionCommand) => void (command = actionCommand))
      .parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed usage errors already. It throws for --help and --version as well, which are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // Loaded when it is needed: the list of all commands needs nothing of it.
    const { errorMessage } = await import('./error-message.js');
    const message = errorMessage(error, command);
    if (message !== '') process.stderr.write(`${message}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}
