import { describe, expect, test } from '@jest/globals';
import { filesBelow, textOf } from './files.ts';

const folder = 'docs/adr';
const index = `${folder}/README.md`;
const all = filesBelow().filter((file) => /\.(md|ts|tsx|mjs|yaml|sh|sql)$/.test(file));

interface Decision {
  number: string;
  name: string;
  text: string;
  /** `accepted`, or the rest of the line: `amended by [0020](0020-quarantined-events.md)`. */
  status: string;
}

const decisions: Decision[] = all
  .filter((file) => /^docs\/adr\/\d{4}-[\w-]+\.md$/.test(file))
  .sort()
  .map((file) => {
    const text = textOf(file);
    return { number: file.slice(9, 13), name: file.slice(9), text, status: statusOf(text) };
  });

/** Directly below the title; an empty text when there is none, or none of this form. */
function statusOf(text: string): string {
  const link = String.raw`\[\d{4}\]\(\d{4}-[\w-]+\.md\)`;
  const links = `${link}(?:, ${link})*(?: and ${link})?`;
  return new RegExp(`^# .+\n\nStatus: (accepted|(?:amended|superseded) by ${links})\n\n`).exec(text)?.[1] ?? '';
}

const namesIn = (status: string): string[] => [...status.matchAll(/\((\d{4}-[\w-]+\.md)\)/g)].map(([, name]) => name!);
const isSuperseded = ({ status }: Decision): boolean => status.startsWith('superseded');

/** Lines that name a superseded record and do not say that it is one. */
function silentReferences(text: string, superseded: readonly string[]): string[] {
  return text
    .split('\n')
    .filter((line) =>
      superseded.some(
        (number) =>
          new RegExp(`\\b${number}-[\\w-]+\\.md|\\bADRs? ${number}\\b`).test(line) && !/superseded/.test(line),
      ),
    );
}

describe('architecture decision records', () => {
  test('are numbered from 0001 without a gap, and each has its number in its title', () => {
    expect(decisions.map(({ number }) => number)).toEqual(decisions.map((_, i) => String(i + 1).padStart(4, '0')));
    expect(decisions.filter(({ number, text }) => !text.startsWith(`# ${number} `)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  test('each has its status below its title', () => {
    expect(decisions.filter(({ status }) => status === '').map(({ name }) => name)).toEqual([]);
  });

  test('each that was amended or superseded names later records, and those name it', () => {
    const wrong = decisions.flatMap(({ name, status }) =>
      namesIn(status)
        .filter((later) => {
          const found = decisions.find((decision) => decision.name === later);
          return !found || later <= name || !found.text.includes(`(${name})`);
        })
        .map((later) => `${name}: ${later}`),
    );
    expect(wrong).toEqual([]);
  });

  test('each is in the index once, with a decision and its status', () => {
    const rows = [...textOf(index).matchAll(/^\| \[\d{4}\]\((\S+)\) \| \S.*? \| (.+) \|$/gm)];
    const inIndex = rows.map(([, name, status]) => `${name!}: ${status!}`);
    const listed = decisions.map(({ name, status }) => `${name}: ${status}`);
    expect(inIndex.sort()).toEqual(listed);
  });

  test('a reference to one that is superseded says so', () => {
    const superseded = decisions.filter(isSuperseded).map(({ number }) => number);
    const silent = all.flatMap((file) => silentReferences(textOf(file), superseded).map((line) => `${file}: ${line}`));
    expect(silent).toEqual([]);
    const link = 'See [0004](adr/0004-read-your-writes.md).';
    expect(silentReferences(`${link}\nADR 0004\nSee [0005](adr/0005-audit-record.md).`, ['0004'])).toEqual([
      link,
      'ADR 0004',
    ]);
    expect(silentReferences('[0004](adr/0004-read-your-writes.md) is superseded.', ['0004'])).toEqual([]);
  });

  test.each([
    ['# 0001 A\n\nStatus: accepted\n\nText', 'accepted'],
    ['# 0001 A\n\nStatus: amended by [0002](0002-b.md), [0003](0003-c.md) and [0004](0004-d.md)\n\nText', 'amended by'],
    ['# 0001 A\n\nStatus: superseded by [0002](0002-b.md)\n\nText', 'superseded by'],
    ['# 0001 A\n\nText\n\nStatus: accepted\n\n', ''],
    ['# 0001 A\n\nStatus: accepted, mostly\n\n', ''],
    ['# 0001 A\n\nStatus: amended\n\n', ''],
  ])('the status of %j begins with %j', (text, beginning) => {
    expect(statusOf(text).slice(0, beginning.length || undefined)).toBe(beginning);
  });
});
