import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesBelow, textOf } from './files.ts';

// This file and its folder name references that do not exist.
const files = filesBelow().filter(
  (f) =>
    !f.startsWith(posix.join('tools', 'architecture')) && f !== 'package-lock.json' && !/\.(png|ico|woff2)$/.test(f),
);
const exists = new Set(filesBelow());
const documents = files.filter((f) => f.endsWith('.md'));
const decisions = documents.filter((f) => /^docs\/adr\/\d{4}-[\w-]+\.md$/.test(f)).sort();
const numberOf = (path: string): string => /(\d{4})-[^/]*$/.exec(path)?.[1] ?? '';

/** Line by line, so that a finding can name its line; a reference never goes over the end of one. */
function found(pattern: RegExp, wrong: (match: RegExpMatchArray, file: string) => boolean, where = files): string[] {
  return where.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, i) =>
        [...line.matchAll(pattern)].filter((m) => wrong(m, file)).map(([all]) => `${file}:${i + 1} ${all}`),
      ),
  );
}

/** Numbers of the headings of a document: `## 4. Endpoints` and `### 4.2 List subjects` are `4` and `4.2`. */
function sections(document: string): Set<string> {
  return new Set([...textOf(document).matchAll(/^#{2,3} (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => number!));
}

/** The anchors that a renderer of Markdown gives the headings of a document. */
function anchors(document: string): Set<string> {
  const headings = [...textOf(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('references to documents', () => {
  const sectioned = { specification: sections('docs/specification.md'), product: sections('docs/product.md') };

  test('specification and product decisions have the sections that code and documents cite', () => {
    const pattern = /\b(specification|product) §(\d+(?:\.\d+)*)(?: (?:and|to) §?(\d+(?:\.\d+)*))?/gi;
    const wrong = found(pattern, ([, document = '', first = '', second = first]) => {
      const numbers = sectioned[document.toLowerCase() as keyof typeof sectioned];
      return !numbers.has(first) || !numbers.has(second);
    });
    expect(wrong).toEqual([]);
    expect(found(pattern, () => true).length).toBeGreaterThan(50);
    expect([...sectioned.specification]).toEqual(expect.arrayContaining(['1', '9', '4.5']));
  });

  test('a path below docs/ leads to a file', () => {
    const pattern = /(?<![\w/.-])docs\/[\w./-]+\.(?:md|json|png)\b/g;
    expect(found(pattern, ([path]) => !exists.has(path))).toEqual([]);
    expect(found(pattern, () => true).length).toBeGreaterThan(50);
  });

  test('an architecture decision record is named by the number of one that exists', () => {
    const numbers = new Set(decisions.map(numberOf));
    expect(found(/\bADRs? (\d{4})\b/g, ([, number]) => !numbers.has(number!))).toEqual([]);
  });

  test('a link whose text is a number leads to the record of that number', () => {
    const wrong = found(
      /\[(?:ADR )?(\d{4})\]\(([^)]+)\)/g,
      ([, number, path]) => numberOf(path!) !== number,
      documents,
    );
    expect(wrong).toEqual([]);
  });

  test('a link to a heading leads to one that its document has', () => {
    const wrong = found(
      /\]\((?![a-z]+:)([^)#\s]*)#([\w-]+)\)/g,
      ([, path, anchor], file) => {
        const target = path === '' ? file : posix.join(posix.dirname(file), path!);
        return !target.endsWith('.md') || !exists.has(target) || !anchors(target).has(anchor!);
      },
      documents,
    );
    expect(wrong).toEqual([]);
  });
});
