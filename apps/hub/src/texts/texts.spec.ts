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
