import type { Command } from 'commander';
import type { ValidationIssue } from '@holdfast/contracts';

/** Members of a request whose option has another name. */
const optionOf: Record<string, string> = {
  scopes: 'grant',
  isDefault: 'default',
  turnstileSecret: 'turnstileSecretStdin',
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
  const typed = command && typedAs(command, member, at);
  if (typed) return `${typed}: ${detail}`;
  const place = [member, at, ...deeper].filter(Boolean).join('.') || parameter || header;
  return place ? `${place}: ${detail}` : detail;
}

function typedAs(command: Command, member: string, at: string | undefined): string | undefined {
  // A list is a repeatable option, whose name is in the singular.
  const names = [optionOf[member] ?? member, member.replace(/s$/, '')];
  const named = command.options.filter((one) => names.includes(one.attributeName()));
  const option = named.find((one) => !one.negate) ?? named[0];
  if (option) {
    const given: unknown = command.getOptionValue(option.attributeName());
    const one: unknown = Array.isArray(given) && at !== undefined ? given[Number(at)] : undefined;
    return [option.long ?? option.flags, ...(typeof one === 'string' ? [JSON.stringify(one)] : [])].join(' ');
  }
  const argument = command.registeredArguments.find((one) => one.name() === member);
  return argument && `<${argument.name()}>`;
}

/** RFC 6901 §4 and §6: the fragment form of a JSON Pointer. */
function unescape(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
