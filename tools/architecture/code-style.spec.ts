// What ESLint does not see: lines of every kind of file, and exports across projects.
import { describe, expect, test } from '@jest/globals';
import { filesBelow, textOf } from './files.ts';

const maxColumns = 120;
const code = filesBelow().filter((file) => /\.(ts|tsx|mjs|css|sh)$|^(apps|libs|examples)\/.+\.py$/.test(file));

/** Names of the values that a file exports where it declares them. */
const exportedValue = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|enum) ([A-Za-z_$][\w$]*)/gm;

/** A URL cannot be broken, and neither can a directive that must stand on one line. */
function tooLong(line: string): boolean {
  return [...line].length > maxColumns && !/https?:\/\/\S{40}|url\(.data:/.test(line);
}

describe('code', () => {
  test(`has lines of at most ${maxColumns} columns`, () => {
    const found = code.flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, i) => (tooLong(line) ? [`${file}:${i + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });

  test('of tests and fixtures is in no build', () => {
    const builds = filesBelow().filter((file) => file.endsWith('/tsconfig.lib.json'));
    const excluded = (file: string) => (JSON.parse(textOf(file)) as { exclude?: string[] }).exclude ?? [];
    const wrong = builds.filter(
      (file) => !['spec', 'fixture'].every((kind) => excluded(file).join().includes(`.${kind}.ts`)),
    );
    expect(wrong).toEqual([]);
  });

  test('exports no value that no other file uses', () => {
    const usersOf = new Map<string, Set<string>>();
    for (const file of code)
      for (const [word] of textOf(file).matchAll(/[A-Za-z_$][\w$]*/g))
        usersOf.set(word, (usersOf.get(word) ?? new Set()).add(file));
    const unused = code.flatMap((file) =>
      [...textOf(file).matchAll(exportedValue)]
        .filter(([, name]) => usersOf.get(name!)!.size === 1)
        .map(([, name]) => `${file}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});
