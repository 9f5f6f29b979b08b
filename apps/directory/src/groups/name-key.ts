/** Letters that look alike get one form: NFKC, without the characters that only join or separate others. */
function normalized(text: string): string {
  return text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/**
 * What two names of an organization must not share: case, width, composition and spacing do not count. Upper case comes
 * first, because ß, ẞ and ss meet only there; the final sigma is the one letter whose lower case depends on its place.
 */
export function nameKeyOf(name: string): string {
  return normalized(normalized(name).toUpperCase().toLowerCase()).replaceAll('ς', 'σ').replace(/\s+/gu, ' ').trim();
}

/** The smallest text that is behind every key with this prefix, in the order of bytes. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
