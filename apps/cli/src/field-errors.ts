import type { Command } from 'commander';
import type { ValidationIssue } from '@holdfast/contracts';

/** Members of a request whose option has another name. */
const optionOf: Record<string, string> = {
  scopes: 'grant',
  tokenEndpointAuthMethod: 'authMethod',
  jwks: 'jwksFile',
  isDefault: 'default',
  turnstileSecret: 'turnstileSecretStdin',
  durationSeconds: 'seconds',
};

/**
 * Names an invalid field as the operator typed it: `--redirect-uri "nope": must be …`. A member of the request without
 * an option or argument is named by its path.
 */
export function fieldError(
  { pointer = '', parameter, header, detail }: ValidationIssue,
  command: Command | undefined,
): string {
  const [member = '', at, ...deeper] = pointer.replace(/^#\/?/, '').split('/').map(unescape);
  // Some requests have what was typed in a member of their own: `{ group: { name } }`.
  const typed = command && (typedAs(command, at ?? '', deeper[0]) ?? typedAs(command, member, at));
  if (typed) return `${typed}: ${detail}`;
  const path = [member, at, ...deeper].filter(Boolean).join('.') || parameter || header;
  return path ? `${path}: ${detail}` : detail;
}

function typedAs(command: Command, member: string, at: string | undefined): string | undefined {
  // A list is a repeatable option, whose name is in the singular.
  const names = [optionOf[member] ?? member, member.replace(/s$/, '')];
  const options = command.options.filter((option) => names.includes(option.attributeName()));
  const option = options.find(({ negate }) => !negate) ?? options[0];
  if (option) {
    const values: unknown = command.getOptionValue(option.attributeName());
    const value: unknown = Array.isArray(values) && at !== undefined ? values[Number(at)] : undefined;
    return [option.long ?? option.flags, ...(typeof value === 'string' ? [JSON.stringify(value)] : [])].join(' ');
  }
  const argument = command.registeredArguments.find((registered) => registered.name() === member);
  return argument && `<${argument.name()}>`;
}

/** RFC 6901 §4 and §6: the fragment form of a JSON Pointer. */
function unescape(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}
