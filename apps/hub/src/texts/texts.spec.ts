import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { de } from './de.ts';
import { en } from './en.ts';

test('every text has the same placeholders in each language', () => {
  const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
  for (const [group, texts] of Object.entries(en))
    for (const [name, text] of Object.entries(texts)) {
      const translated = (de as Record<string, Record<string, string>>)[group]![name]!;
      expect([group, name, placeholders(translated)]).toEqual([group, name, placeholders(text)]);
      expect(translated.trim()).not.toBe('');
    }
});

test('every text is shown by some screen', () => {
  const source = globSync('apps/hub/src/**/*.{ts,tsx}', { exclude: (path) => /texts|\.spec\.ts$/.test(path) })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  /** Groups whose texts are chosen by a value, such as the state of an object. */
  const chosen = new Set([...source.matchAll(/`(\w+)\.\w*\$\{/g)].map(([, group]) => group));
  const unused = Object.entries(en).flatMap(([group, texts]) =>
    Object.keys(texts)
      .map((name) => `${group}.${name}`)
      .filter((key) => !source.includes(`'${key}'`) && !chosen.has(group)),
  );
  expect(chosen.size).toBeGreaterThan(5);
  expect(unused).toEqual([]);
});
