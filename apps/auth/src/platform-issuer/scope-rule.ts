import { neverGrantable, operationNames, receiverScopeNames } from '@holdfast/contracts';

/** All fourteen names have 230 characters. */
const maxLength = 1000;
const forPeople: readonly string[] = neverGrantable;
const operations: readonly string[] = operationNames;
const forReceivers: readonly string[] = receiverScopeNames;

/**
 * Why a token with this scope is denied, as an `error_description` (without quotes, RFC 6749 §5.2), or undefined. A
 * scope is never narrowed silently, so that a caller never has less than it requested (product §4).
 */
export function scopeIssue(requested: string | undefined, granted: readonly string[]): string | undefined {
  if (!requested) return 'scope is required: name the operations that the token shall hold, separated by spaces';
  if (requested.length > maxLength) return `scope is longer than ${maxLength} characters`;
  for (const name of requested.split(' ')) {
    if (granted.includes(name)) continue;
    if (name === '') return 'scope has a space too many';
    if (forPeople.includes(name)) return `${name} is for people only and is never given to a program`;
    if (forReceivers.includes(name)) return `${name} is for apps of the kind receiver only`;
    return operations.includes(name) ? `the app was not granted ${name}` : `there is no operation ${name.slice(0, 64)}`;
  }
  return undefined;
}
