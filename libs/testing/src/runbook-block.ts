import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const runbook = readFileSync(fileURLToPath(new URL('../../../docs/runbook.md', import.meta.url)), 'utf8');

/**
 * The first code block of docs/runbook.md that contains a text, so that tests run the commands that operators copy.
 * `language` is empty for settings. @throws when there is none
 */
export function runbookBlock(content: string, language: 'sh' | '' = 'sh'): string {
  const match = [...runbook.matchAll(/```(\w*)\n([\s\S]*?)```/g)].find(
    ([, of, text]) => of === language && text!.includes(content),
  );
  if (!match) throw new Error(`docs/runbook.md has no block with ${content}`);
  return match[2]!;
}
