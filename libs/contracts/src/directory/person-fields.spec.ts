import { describe, expect, it } from '@jest/globals';
import { passkeyName, personEmail, personName, personRoles } from './person-fields.js';

describe('an e-mail address', () => {
  it.each(['ann@example.com', "o'neil+tag@sub.example.co.uk", 'A@b', `${'x'.repeat(64)}@example.com`])('%s', (email) =>
    expect(personEmail.parse(email)).toBe(email),
  );

  it.each([
    ['no @', 'ann.example.com'],
    ['two @', 'a@b@example.com'],
    ['a Cyrillic letter that looks like a', '\u0430nn@example.com'],
    ['a full-width @', 'ann\uff20example.com'],
    ['a letter with a diacritic', 'änn@example.com'],
    ['a space', 'an n@example.com'],
    ['a line break', 'ann@example.com\n'],
    ['NUL', 'ann\u0000@example.com'],
    ['quotes', '"ann"@example.com'],
    ['a local part of 65', `${'x'.repeat(65)}@example.com`],
    ['255 characters', `a@${`${'x'.repeat(49)}.`.repeat(5)}com`],
    ['a hyphen at the end of a label', 'ann@example-.com'],
    ['a formula', '=cmd@example.com'],
    ['a list', 'ann@example.com,bob@example.com'],
  ])('is refused with %s', (_, email) => expect(personEmail.safeParse(email).success).toBe(false));
});

describe('a name', () => {
  it.each([
    ['  Ann Lee  ', 'Ann Lee'],
    ['Zoe\u0308', 'Zoë'],
    ['李小龍', '李小龍'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['x'.repeat(200), 'x'.repeat(200)],
    ["O'Neil; DROP TABLE person", "O'Neil; DROP TABLE person"],
  ])('%j is stored as %j', (given, stored) => expect(personName.parse(given)).toBe(stored));

  it.each([
    ['nothing', ''],
    ['spaces', ' \u00a0\t '],
    ['NUL', 'Ann\u0000'],
    ['a line break', 'Ann\nLee'],
    ['a line separator', 'Ann\u2028Lee'],
    ['a direction override', 'Ann\u202eeeL'],
    ['an isolate', 'Ann\u2066Lee'],
    ['a zero-width space', 'Ann\u200bLee'],
    ['a lone surrogate', 'Ann\ud800'],
    ['punctuation only', '...'],
    ['a formula', '=cmd|/C calc!A0'],
    ['a formula with @', '@SUM(1)'],
    ['201 characters', 'x'.repeat(201)],
  ])('is refused with %s', (_, name) => {
    expect(personName.safeParse(name).success).toBe(false);
    if (name !== '...') expect(passkeyName.safeParse(name).success).toBe(false);
  });
});

it('roles are named once each', () => {
  expect(personRoles.safeParse(['owner', 'owner']).success).toBe(false);
  expect(personRoles.safeParse(['king']).success).toBe(false);
});
