import { neverGrantable, operationNames } from '@holdfast/contracts';

/** All fourteen names take 230 characters. */
const longest = 1000;
const forPeople: readonly string[] = neverGrantable;
const known: readonly string[] = operationNames;

/**
 * Why a token with this scope is refused, as an `error_description` (RFC 6749 §5.2: no quotes in it), or undefined. It
 * is all or nothing: a scope is never silently narrowed, so a caller never holds less than it thinks (product §4).
 */
export function scopeIssue(asked: string | undefined, granted: readonly string[]): string | undefined {
  if (!asked) return 'scope is required: name the operations that the token shall hold, separated by spaces';
  if (asked.length > longest) return `scope is longer than ${longest} characters`;
  for (const name of asked.split(' ')) {
    if (granted.includes(name)) continue;
    if (name === '') return 'scope has a space too many';
    if (forPeople.includes(name)) return `${name} is for people only and is never given to a program`;
    return known.includes(name) ? `the app was not granted ${name}` : `there is no operation ${name.slice(0, 64)}`;
  }
  return undefined;
}
