import type { Command } from 'commander';

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
