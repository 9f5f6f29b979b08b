import { InvalidArgumentError, type Command } from 'commander';

export interface Json {
  json?: boolean;
}

/**
 * Adds a command with `--json` and examples in its help.
 *
 * @param syntax its name and arguments
 * @param examples command lines without `holdfast`
 */
export function addCommand(parent: Command, syntax: string, description: string, examples: string[]): Command {
  const lines = examples.map((example) => `  holdfast ${example}`);
  return parent
    .command(syntax)
    .description(description)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`);
}

/** For an option that may be repeated: collects its values. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** For an option that is a time in seconds. @throws InvalidArgumentError */
export function seconds(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Use a whole number of seconds.');
  return Number(value);
}
