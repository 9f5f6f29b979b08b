/** Prefixes of this many characters are searchable. */
const shortest = 2;
const longest = 20;
/** Words of a search beyond these are ignored: each costs an index look-up for every person that the others find. */
const maxWords = 5;

/**
 * Text as it is compared: compatibility forms are the same (NFKC), and so are upper and lower case. Diacritics count as
 * typed: "Müller" and "Muller" are two names.
 */
export function folded(text: string): string {
  // Upper case first: it writes ß as SS. The final sigma is a form of the same letter.
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

function wordsIn(text: string): string[][] {
  return folded(text)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => [...word]);
}

/**
 * What finds a person: every prefix of 2 to 20 characters of each word of the name and of the e-mail address, and each
 * word that is shorter or longer as a whole.
 */
export function searchTokensOf({ email, name }: { email: string; name: string }): string[] {
  const tokens = [...wordsIn(name), ...wordsIn(email)].flatMap((word) => [
    ...Array.from({ length: Math.max(0, Math.min(word.length, longest) - shortest + 1) }, (_, i) =>
      word.slice(0, shortest + i).join(''),
    ),
    ...(word.length < shortest || word.length > longest ? [word.join('')] : []),
  ]);
  return [...new Set(tokens)];
}

/** The tokens that a person must have to be found by this text: one for each of its words. */
export function tokensOfSearch(q: string): string[] {
  return [...new Set(wordsIn(q).map((word) => word.join('')))].slice(0, maxWords);
}
