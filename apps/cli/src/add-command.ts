import type { Command } from 'commander';

export interface Json {
  json?: boolean;
}

/** A command with `--json` and examples. `syntax` is the addCommand and its arguments; examples leave `holdfast` out. */
export function addCommand(parent: Command, syntax: string, says: string, examples: string[]): Command {
  const lines = examples.map((example) => `  holdfast ${example}`);
  return parent
    .command(syntax)
    .description(says)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`);
}
