// The words of docs/glossary.md. A reader who knows the field needs no explanation of a word, so what has a word of the
// field is called by it, and by no other.
import { describe, expect, test } from '@jest/globals';
import { filesBelow, textOf } from './files.ts';

interface Avoided {
  word: RegExp;
  use: string;
}

/** Unambiguous: none of these has a place in code, file names or prose. */
const anywhere: Avoided[] = [
  { word: /(?<![a-z])houses?(?![a-z])|Houses?(?![a-z])/, use: 'Holdfast, the stack, a deployment' },
  { word: /\bleash|Leash/, use: 'supervisor, orphan reaper' },
  { word: /farewell/i, use: 'shutdown message' },
  { word: /\bteller|Teller/, use: 'expiration worker' },
  { word: /\bscribes?\b|Scribe/, use: 'audit stub' },
  { word: /\bvouch(ed|es)?\b|Vouched/, use: 'introspection fallback' },
  { word: /\bparked|Parked/, use: 'quarantined' },
  { word: /throwaway/i, use: 'ephemeral' },
  { word: /\bneighbours\b|Neighbours/, use: 'service stubs' },
  { word: /\bwalks\.md\b/, use: 'request-flows.md' },
  { word: /\bgoodFor\b/, use: 'ttlMs' },
  { word: /\bpatience\b/i, use: 'timeoutMs' },
  { word: /\batOnce\b/, use: 'maxConcurrent' },
  { word: /\bgets? (a|its|their) place/, use: 'is appended' },
  { word: /\bdeeds?\b|Deed/, use: 'state transition' },
  { word: /\bendings\b|Endings\b/, use: 'session revocation' },
  { word: /\bended sign-ins?\b/i, use: 'session revocation' },
  { word: /\b(used|using) up\b/, use: 'consumed' },
  { word: /access questions?\b/i, use: 'introspection fallback' },
  { word: /\bapplied notices?\b/i, use: 'projection acknowledgement' },
  { word: /refused at the door/i, use: 'denied request' },
  { word: /\bfault of data\b/i, use: 'permanent error' },
  { word: /\bwhoever\b/i, use: 'a person who, an app that, a caller that' },
];

/** Beyond those: words of plain English that documents have used for a thing that has a name. */
const inProse: Avoided[] = [
  { word: /\bdoors?\b/i, use: 'API gateway, edge' },
  { word: /\btold\b/i, use: 'emitted, notified' },
  { word: /\b(hears?|heard)\b/i, use: 'consumes, receives' },
  { word: /\brefusals?\b/i, use: 'denied request' },
  { word: /\breceipts?\b/i, use: 'erasure confirmation' },
  { word: /\bran out\b|\bruns? out\b/i, use: 'expired' },
  { word: /\bthe truth\b|'s truth\b|\btruth of\b/i, use: 'system of record' },
  { word: /\b(is|are|was|were|been|while \w+|with \w+) away\b/i, use: 'unavailable' },
  { word: /\bunder way\b/i, use: 'in progress, concurrent' },
  { word: /\bholders?\b/i, use: 'customer' },
  {
    word: /\b(gets?|given|has|have) (a|its|their) places?\b|\bplaces are\b|\bgives places\b/i,
    use: 'appended; leaf index',
  },
];

/** What may hold such a word, and why. */
const quotations: Record<string, string[]> = {
  // The requirements name these.
  'docs/product.md': ['the holders that it allows'],
};

/** Folders whose code is clean. The list only grows. */
const clean: string[] = [
  '.ci',
  'apps/audit',
  'apps/auth',
  'apps/cli',
  'apps/directory',
  'apps/e2e',
  'apps/gateway',
  'apps/hub',
  'apps/issuance',
  'apps/pages',
  'apps/signals',
  'apps/subjects',
  'bench',
  'docker',
  'examples',
  'libs',
  'tools/docker',
  'tools/generate',
  'tools/infra',
  'tools/launcher',
  'tools/setup',
  'tools/testing',
];

const generated = /^docs\/reference\//;
const documents = filesBelow().filter((file) => file.endsWith('.md'));

/** Prose of a document, without identifiers, commands and names of tests: these are the code's. */
function proseOf(file: string): string[] {
  let fenced = false;
  return textOf(file)
    .split('\n')
    .map((line) => {
      if (line.startsWith('```')) fenced = !fenced;
      if (fenced || line.startsWith('```')) return '';
      return (quotations[file] ?? []).reduce(
        (text, quotation) => text.replace(quotation, ''),
        line.replaceAll(/`[^`]*\.spec\.ts` "[^"]*"|`[^`]*`/g, ''),
      );
    });
}

function findings(file: string, lines: string[], words: Avoided[]): string[] {
  return lines.flatMap((line, i) =>
    words.flatMap(({ word, use }) => {
      const [found] = word.exec(line) ?? [];
      return found === undefined ? [] : [`${file}:${i + 1} "${found}": use ${use}`];
    }),
  );
}

describe('words of the glossary', () => {
  test('documents use no avoided word', () => {
    const wrong = documents
      .filter((file) => !generated.test(file))
      .flatMap((file) => findings(file, proseOf(file), [...anywhere, ...inProse]));
    expect(wrong).toEqual([]);
  });

  test('each quotation that is let through is still there', () => {
    const gone = Object.entries(quotations).flatMap(([file, texts]) =>
      texts.filter((text) => !textOf(file).includes(text)).map((text) => `${file}: ${text}`),
    );
    expect(gone).toEqual([]);
  });

  test('code of the folders that are clean uses no avoided word, nor do its file names', () => {
    const files = filesBelow().filter((file) => clean.some((folder) => file.startsWith(`${folder}/`)));
    const wrong = files
      .filter((file) => /\.(ts|tsx|mjs|js|json|css|html|sh|yaml|py)$/.test(file))
      .flatMap((file) => [...findings(file, [file], anywhere), ...findings(file, textOf(file).split('\n'), anywhere)]);
    expect(wrong).toEqual([]);
  });

  test('an avoided word is found', () => {
    const found = (text: string) => findings('a.md', [text], [...anywhere, ...inProse]).length > 0;
    for (const text of ['a running house', 'TestHouse', 'the record gets its place', 'Parked records', 'audit is away'])
      expect([text, found(text)]).toEqual([text, true]);
    for (const text of ['a warehouse', 'taken away', 'take place', 'household', 'a running stack'])
      expect([text, found(text)]).toEqual([text, false]);
  });
});
