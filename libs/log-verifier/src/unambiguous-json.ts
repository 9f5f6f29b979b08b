import { FormatError } from '@holdfast/tlog';

/** Entries are nested less deeply. Some parsers stop at 100 levels or more. */
const maxDepth = 64;
/** A string, with the colon after it when it is the name of a member; or the begin or end of an object or array. */
const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/**
 * Parses JSON that every parser reads alike: of a member that exists twice, some take the first and some the last
 * (RFC 8259 §4).
 *
 * @throws FormatError when it is not JSON, has a member twice, or is nested more than 64 levels deep
 */
export function parseUnambiguous(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError('it is not JSON');
  }
  if (isDeeperThan(maxDepth, value)) throw new FormatError(`it is nested more than ${maxDepth} levels deep`);
  // The usual form has each member once. Comparing costs less than reading all tokens.
  if (JSON.stringify(value) !== text) assertNoDuplicates(text);
  return value;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** @param text is JSON */
function assertNoDuplicates(text: string): void {
  const open: Set<string>[] = [];
  for (const [found, colon] of text.matchAll(token)) {
    if (found === '{' || found === '[') open.push(new Set());
    else if (found === '}' || found === ']') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(found.slice(0, -colon.length)) as string;
      if (open.at(-1)!.has(name)) throw new FormatError(`it has the member ${JSON.stringify(name)} twice`);
      open.at(-1)!.add(name);
    }
  }
}
