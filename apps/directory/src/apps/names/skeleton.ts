/**
 * Letters and digits that look like others, by what they look like (UTS #39 §4). Only those of Latin, Cyrillic, Greek
 * and Armenian, which are the scripts that resemble each other as whole words.
 */
const looksLike: Record<string, string> = {
  a: 'аɑα',
  b: 'ЬьвВβΒƅ',
  c: 'сϲⅽ',
  d: 'ԁđɗ',
  e: 'еєεЕΕəҽ',
  f: 'ϝſƒ',
  g: 'ɡցԍ',
  h: 'һНнΗհհ',
  j: 'јϳ',
  k: 'кКκΚқ',
  l: 'iI1|іІıιΙłӀӏןⅼ',
  m: 'мМΜ',
  n: 'пηΝռո',
  o: '0оОοΟσөөøօס',
  p: 'рРρΡ',
  q: 'ԛգ',
  r: 'гг',
  s: 'ѕЅꜱʂտ',
  t: 'тТτΤŧ',
  u: 'υսʋц',
  v: 'ѵνѴ',
  w: 'ԝωшա',
  x: 'хХχΧ',
  y: 'уУүγΥ',
  z: 'ʐΖ',
};
const likeness = new Map(Object.entries(looksLike).flatMap(([letter, others]) => [...others].map((o) => [o, letter])));

function alike(character: string): string {
  const lower = character.toLowerCase();
  return likeness.get(character) ?? likeness.get(lower) ?? lower;
}

/**
 * What two names share that people take for each other: case, width, accents, spaces, punctuation, invisible characters
 * and letters that look alike do not count. It is never shown.
 */
export function skeletonOf(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const bare = visible.normalize('NFD').replace(/\p{M}/gu, '');
  const letters = [...bare].map(alike).filter((character) => /[\p{L}\p{N}]/u.test(character));
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

const alone = [
  ...['Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Latin', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil'],
  ...['Telugu', 'Thaana', 'Thai', 'Tibetan'],
].map((script) => [script]);
/** Scripts that one language writes together. */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const writtenTogether = [...alone, ...together].map(
  (scripts) => new RegExp(`^[${scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]*$`, 'u'),
);

/** Whether its letters are of scripts that are written together ("highly restrictive", UTS #39 §5.2). */
export function isOfOneScript(name: string): boolean {
  const letters = name.normalize('NFC').match(/\p{L}/gu)?.join('') ?? '';
  return writtenTogether.some((scripts) => scripts.test(letters));
}
