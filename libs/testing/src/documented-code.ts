import { readFileSync } from 'node:fs';

/**
 * The first code block of a document that contains a text, so that tests run the code that readers copy.
 *
 * @param document its name in `docs`, such as `webhooks.md`
 * @param language empty for a block without one, such as settings
 * @throws when there is none
 */
export function codeBlock(document: string, language: string, content = ''): string {
  const text = readFileSync(new URL(`../../../docs/${document}`, import.meta.url), 'utf8');
  const match = [...text.matchAll(/```(\w*)\n([\s\S]*?)```/g)].find(
    ([, of, block]) => of === language && block!.includes(content),
  );
  if (!match) throw new Error(`docs/${document} has no block of the language "${language}" with "${content}"`);
  return match[2]!;
}

/** The first code block of docs/runbook.md that contains a text. */
export function runbookBlock(content: string, language: 'sh' | '' = 'sh'): string {
  return codeBlock('runbook.md', language, content);
}
