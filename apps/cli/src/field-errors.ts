import type { Command } from 'commander';
import type { ValidationIssue } from '@holdfast/contracts';

/** Members of a request that no option is named after. */
const optionOf: Record<string, string> = {
  scopes: 'grant',
  isDefault: 'default',
  turnstileSecret: 'turnstileSecretStdin',
};

/**
 * A refused field, as it was typed: `--redirect-uri "nope": must be …`. What no option or argument of the command
 * stands for is named by its path in the request.
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
  // A list is given by an option that may be repeated, and that has its name in the singular.
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
