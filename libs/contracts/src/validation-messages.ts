import { z } from 'zod';

/** What a value must be, by zod's name of its type. */
const expectations: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'absent',
};

/** What a text must be, by the name of its format. */
const formats: Record<string, string> = {
  datetime: 'a time by RFC 3339, such as 2026-11-21T09:30:00.000Z',
  date: 'a date such as 2026-11-21',
  time: 'a time of day such as 09:30:00',
  duration: 'a duration by ISO 8601, such as P30D',
  email: 'an e-mail address',
  url: 'a whole URL, with its scheme',
  uuid: 'a UUID',
  guid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64 (RFC 4648 §4)',
  base64url: 'base64url without padding (RFC 4648 §5)',
};

const units: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  record: ['member', 'members'],
  object: ['member', 'members'],
};

type Issue = z.core.$ZodRawIssue;

/**
 * The text of an issue for which its schema has none: what is expected of the value. It continues "this member …", as
 * the texts of schemas do. The value itself is never repeated: it may be personal, and texts are logged.
 */
function validationMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return expected(issue, expectations[issue.expected] ?? `of the type ${issue.expected}`);
    case 'invalid_value':
      return expected(issue, listed(issue.values));
    case 'invalid_format':
      return `must be ${formatOf(issue)}`;
    case 'too_small':
      return sizeText(issue, 'at least', 'more than', issue.minimum);
    case 'too_big':
      return sizeText(issue, 'at most', 'less than', issue.maximum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return `has a member whose name is not allowed: a name ${firstMessage(issue.issues)}`;
    case 'invalid_element':
      return `has an entry that is not valid: an entry ${firstMessage(issue.issues)}`;
    case 'invalid_union':
      return unionText(issue);
    default:
      return 'is not valid';
  }
}

/** `must be text`; of an absent member, that it is missing. */
function expected({ input }: Issue, what: string): string {
  return input === undefined ? `is missing: it must be ${what}` : `must be ${what}`;
}

function listed(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value) ?? 'absent');
  return texts.length === 1 ? texts[0]! : `one of ${texts.join(', ')}`;
}

function formatOf(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  const { format, prefix, suffix, includes, pattern } = issue as typeof issue & Record<string, string | undefined>;
  if (format === 'starts_with') return `text that begins with "${prefix}"`;
  if (format === 'ends_with') return `text that ends with "${suffix}"`;
  if (format === 'includes') return `text that contains "${includes}"`;
  return formats[format] ?? `text of the form ${pattern ?? format}`;
}

function sizeText(
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  inclusive: string,
  exclusive: string,
  limit: number | bigint,
): string {
  const comparison = issue.exact ? 'exactly' : issue.inclusive === false ? exclusive : inclusive;
  const unit = units[issue.origin];
  if (!unit) return `must be ${comparison} ${limit}`;
  if (issue.code === 'too_small' && Number(limit) === 1) return 'must not be empty';
  return `must have ${comparison} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`;
}

/** Of a union: what each of its kinds of value requires. */
function unionText(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const { errors = [], options } = issue as { errors?: z.core.$ZodIssue[][]; options?: unknown[] };
  if (options?.length) return `must be ${listed(options)}`;
  // A branch whose kind of value is right says more than one of another kind.
  const sameKind = errors.filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && !path.length));
  const texts = (sameKind.length > 0 ? sameKind : errors).map((issues) => issues.map(located).join(' and '));
  return [...new Set(texts)].join(', or ') || 'has none of the accepted forms';
}

function located({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `"${path.join('.')}" ${message}`;
}

function firstMessage([issue]: readonly z.core.$ZodIssue[]): string {
  return issue ? located(issue) : 'is not valid';
}

// Each schema uses it, in each process: fields.ts imports this module. zod's own texts name types of JavaScript.
z.config({ localeError: validationMessage });
