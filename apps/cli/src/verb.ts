import type { Command } from 'commander';

export interface Json {
  json?: boolean;
}

/** A command with `--json` and examples. `syntax` is the verb and its arguments; examples leave `holdfast` out. */
export function verb(parent: Command, syntax: string, says: string, examples: string[]): Command {
  const lines = examples.map((example) => `  holdfast ${example}`);
  return parent
    .command(syntax)
    .description(says)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`);
}
