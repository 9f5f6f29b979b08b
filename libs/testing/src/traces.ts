import { createHash } from 'node:crypto';

/** Encodings of each value that stand in the text. */
export function traces(text: string, values: string[]): string[] {
  // Base64 that stands in bytes is in the dump in hexadecimal.
  return values
    .flatMap(forms)
    .filter((form) => text.includes(form) || text.includes(Buffer.from(form).toString('hex')));
}

/** Encodings of each value that stand in a file, as text or as bytes. */
export function tracesIn(file: Buffer, values: string[]): string[] {
  return values.flatMap((value) => [
    ...forms(value).filter((form) => file.includes(form)),
    ...insides(value).flatMap((bytes) => (file.includes(bytes) ? [`the bytes of ${value}`] : [])),
  ]);
}

/** What base64url stands for. */
export function bytesOf(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}

/** A value as text and, of a UUID or another one in hexadecimal, as the bytes it stands for. */
function insides(value: string): Buffer[] {
  const hex = value.replaceAll('-', '');
  return [Buffer.from(value), ...(/^([0-9a-f]{2}){9,}$/i.test(hex) ? [Buffer.from(hex, 'hex')] : [])];
}

function forms(value: string): string[] {
  // Base64 in the middle of something: of each of the three ways in which it may fall, what does not depend on the
  // bytes beside it.
  const base64 = insides(value).flatMap((bytes) =>
    [0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString('base64')
        .slice(shift === 0 ? 0 : 4, -4),
    ),
  );
  return [
    value,
    value.replaceAll('-', ''),
    ...insides(value).map((bytes) => bytes.toString('hex')),
    ...base64,
    ...base64.map((b) => b.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/**
 * Values that can be shown to stand behind a hash in the text, by any salt that is in it (rows as PostgreSQL prints
 * them).
 */
export function guessable(text: string, values: string[]): string[] {
  const leaves = [...text.matchAll(/\\x(7b[0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString());
  const salts = [
    Buffer.alloc(0),
    ...[...text.matchAll(/\\x([0-9a-f]{32})(?![0-9a-f])/g)].map(([, hex = '']) => Buffer.from(hex, 'hex')),
  ];
  const words = wordsOf([text.replaceAll('\\x', ' '), ...leaves]);
  return values.filter((value) =>
    salts.some((salt) => {
      const hash = createHash('sha256').update(salt).update(value).digest();
      return [
        hash.toString('base64url'),
        hash.toString('base64url', 0, 16),
        hash.toString('base64'),
        hash.toString('hex'),
      ].some((form) => words.has(form));
    }),
  );
}

/** What may be a hash in one of its forms: looked up, since there may be thousands of salts to try on megabytes. */
function wordsOf(texts: string[]): Set<string> {
  const long = texts.flatMap((text) => text.match(/[A-Za-z0-9_+/-]{22,}={0,2}/g) ?? []);
  return new Set([...long, ...long.flatMap((word) => word.split(/[+/]/))]);
}
