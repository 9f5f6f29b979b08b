import { Command } from 'commander';
import { topLevelCommands } from './top-level-commands.js';

const examples = `
Services of the local stack:
  holdfast service list | start <name> | stop <name>

Examples:
  holdfast org create acme --name "Acme Ltd"
  holdfast type create acme day-pass --validity PT24H --no-revocable
  holdfast app create acme --name shop --kind web --redirect-uri https://shop.example/callback --grant offers:write
  holdfast secret create app_2Vw…
  holdfast app disable app_2Vw…

Exit codes: 0 done, 1 denied or failed, 2 invalid arguments.`;

/**
 * The program with the command that is called; of the others it has the names, for its help. Throws CommanderError
 * instead of exiting.
 *
 * @param args without the program's name
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('holdfast')
    .description("the operator's command line of Holdfast")
    .showHelpAfterError('(see --help)')
    .exitOverride();
  const words = args.filter((argument) => !argument.startsWith('-'));
  const [called, second] = words[0] === 'help' ? [words[1]] : words;
  for (const { name, summary, load, loadOthers } of topLevelCommands) {
    if (name === called) {
      for (const add of await load()) add(program);
      const isLoaded = program.commands
        .find((known) => known.name() === name)
        ?.commands.some((of) => of.name() === second);
      if (loadOthers && !isLoaded) (await loadOthers())(program);
    }
    const command = program.commands.find((known) => known.name() === name) ?? program.command(name);
    command.summary(summary);
  }
  return program.addHelpText('after', examples);
}
