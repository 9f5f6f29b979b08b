import { describe, expect, test } from '@jest/globals';
import { filesBelow } from './files.ts';
import { replacedWords } from './glossary.ts';
import { identifiersOf } from './imports.ts';

/** Folders in which no name has a replaced word; the other ones follow as they are renamed. */
const clean = ['apps/auth/', 'apps/e2e/', 'apps/gateway/', 'bench/', 'tools/'];

/** Names that say something else: fields of the API (specification §4), and faults as the trade reports them. */
const exceptions = new Set(['holderId', 'holderClaimedAt', 'holderApp', 'tools/architecture/known-faults.spec.ts']);

const files = filesBelow().filter(
  (f) =>
    clean.some((folder) => f.startsWith(folder)) && /\.(tsx?|mjs)$/.test(f) && f !== 'tools/architecture/glossary.ts',
);

/** The words of a name: `toldAt`, `told_at` and `told-at` are `told` and `at`. */
function wordsOf(name: string): string[] {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+/).map((word) => word.toLowerCase());
}

function replacedIn(name: string): string[] {
  if (exceptions.has(name)) return [];
  return wordsOf(name).flatMap((word) =>
    Object.hasOwn(replacedWords, word) ? [`${name}: say ${replacedWords[word]}`] : [],
  );
}

describe('words that the glossary has replaced', () => {
  test('are in no file name', () => {
    expect(files.flatMap(replacedIn)).toEqual([]);
  });

  test('are in no identifier', () => {
    const found = files.flatMap((file) =>
      [...identifiersOf(file)].flatMap(replacedIn).map((sentence) => `${file}: ${sentence}`),
    );
    expect(found).toEqual([]);
  });

  test('are found in every spelling of a name', () => {
    expect(
      ['toldAt', 'WAS_TOLD', '#houseNode', 'house-node', 'holderId', 'outlet'].map((n) => replacedIn(n).length),
    ).toEqual([1, 1, 1, 1, 0, 0]);
  });
});
