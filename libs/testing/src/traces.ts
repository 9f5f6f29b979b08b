import { hash } from 'node:crypto';
import { occurring } from './occurring.js';

/** The encodings of the values that occur in the text. */
export function traces(text: string, values: string[]): string[] {
  // A dump has base64 text in bytea columns in hexadecimal.
  const forms = [...new Set(values.flatMap(encodingsOf))].flatMap((form) => [
    { form, needle: Buffer.from(form) },
    { form, needle: Buffer.from(Buffer.from(form).toString('hex')) },
  ]);
  return formsIn(Buffer.from(text), forms);
}

/** The encodings of the values that occur in a file, as text or as bytes. */
export function tracesIn(file: Buffer, values: string[]): string[] {
  const forms = [...new Set(values)].flatMap((value) => [
    ...encodingsOf(value).map((form) => ({ form, needle: Buffer.from(form) })),
    ...bytesOfValue(value).map((needle) => ({ form: `the bytes of ${value}`, needle })),
  ]);
  return formsIn(file, forms);
}

function formsIn(bytes: Buffer, forms: readonly { form: string; needle: Buffer }[]): string[] {
  const found = occurring(
    bytes,
    forms.map(({ needle }) => needle),
  );
  return [...new Set(forms.filter(({ needle }) => found.has(needle)).map(({ form }) => form))];
}

/** Decodes base64url. */
export function bytesOf(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}

/** The bytes of a value, and those that it encodes if it is a UUID or hexadecimal. */
function bytesOfValue(value: string): Buffer[] {
  const hex = value.replaceAll('-', '');
  return [Buffer.from(value), ...(/^([0-9a-f]{2}){9,}$/i.test(hex) ? [Buffer.from(hex, 'hex')] : [])];
}

function encodingsOf(value: string): string[] {
  // Base64 of other data that contains the value: for each of the three alignments, the characters that do not depend
  // on the adjacent bytes.
  const base64 = bytesOfValue(value).flatMap((bytes) =>
    [0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString('base64')
        .slice(shift === 0 ? 0 : 4, -4),
    ),
  );
  return [
    value,
    value.replaceAll('-', ''),
    ...bytesOfValue(value).map((bytes) => bytes.toString('hex')),
    ...base64,
    ...base64.map((b) => b.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/**
 * Values whose hash occurs in the text (rows as PostgreSQL prints them), with any salt that occurs in it: somebody who
 * has the text can confirm a guess of these values.
 */
export function guessable(text: string, values: string[]): string[] {
  const leaves = [...text.matchAll(/\\x(7b[0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString());
  // Rows have the id of the key that encrypts them, which looks like a salt, thousands of times.
  const found = new Set(Array.from(text.matchAll(/\\x([0-9a-f]{32})(?![0-9a-f])/g), ([, hex = '']) => hex));
  const salts = [Buffer.alloc(0), ...Array.from(found, (hex) => Buffer.from(hex, 'hex'))];
  const words = wordsOf([text.replaceAll('\\x', ' '), ...leaves]);
  return values.filter((value) =>
    salts.some((salt) => {
      const digest = hash('sha256', Buffer.concat([salt, Buffer.from(value)]), 'buffer');
      return [
        digest.toString('base64url'),
        digest.toString('base64url', 0, 16),
        digest.toString('base64'),
        digest.toString('hex'),
      ].some((form) => words.has(form));
    }),
  );
}

/** Strings that may be hashes. Looking hashes up in this set is fast enough for thousands of salts and megabytes. */
function wordsOf(texts: string[]): Set<string> {
  const long = texts.flatMap((text) => text.match(/[A-Za-z0-9_+/-]{22,}={0,2}/g) ?? []);
  return new Set([...long, ...long.flatMap((word) => word.split(/[+/]/))]);
}
