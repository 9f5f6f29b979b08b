import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { languages } from '@holdfast/contracts';
import { en, type Texts } from './en.ts';

const folder = import.meta.dirname;
const files = readdirSync(folder).filter((file) => /^[a-z]{2}\.ts$/.test(file));
const names = ['Acme', 'Globex'] as const;
type Leaf = string | ((...names: string[]) => string);

/** Every text by its path. Functions get names, so that a text that leaves one out is noticed. */
function leavesOf(texts: object, path = ''): [string, Leaf][] {
  return Object.entries(texts).flatMap(([name, value]): [string, Leaf][] =>
    typeof value === 'object' && value !== null
      ? leavesOf(value as object, `${path}${name}.`)
      : [[path + name, value as Leaf]],
  );
}
const shown = (leaf: Leaf) => (typeof leaf === 'function' ? leaf(...names) : leaf);
/** The same word in both languages. */
const alike = new Set(['claim.title', 'claim.code', 'invitation.code', 'passkeyLink.code', 'verify.log', 'direction']);

test('the pages have a file for each language, and no other', () => {
  expect(files.map((file) => file.slice(0, 2)).toSorted()).toEqual([...languages].toSorted());
});

describe.each(files.filter((file) => file !== 'en.ts'))('%s', (file) => {
  const load = async () => ((await import(`./${file}`)) as { texts: Texts }).texts;

  test('has every text, and none is empty or left in English', async () => {
    const [english, other] = [new Map(leavesOf(en)), new Map(leavesOf(await load()))];
    expect([...other.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    const missing = [...other].filter(([path, leaf]) => {
      const text = shown(leaf);
      return text.trim() === '' || (!alike.has(path) && text === shown(english.get(path)!));
    });
    expect(missing.map(([path]) => path)).toEqual([]);
  });

  test('names the same organizations and apps as the English text', async () => {
    const english = new Map(leavesOf(en));
    for (const [path, leaf] of leavesOf(await load())) {
      const named = (text: string) => names.filter((name) => text.includes(name));
      expect([path, named(shown(leaf))]).toEqual([path, named(shown(english.get(path)!))]);
    }
  });

  test('has a locale that browsers know', async () => {
    const { locale } = await load();
    expect(Intl.DateTimeFormat.supportedLocalesOf([locale])).toEqual([locale]);
    expect(locale.slice(0, 2)).toBe(file.slice(0, 2));
  });
});
