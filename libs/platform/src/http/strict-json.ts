import { AppError } from '../app-error.js';

/** How deep a body may nest: deeper is an attack on whatever walks it recursively. */
const maxDepth = 20;

/**
 * JSON as RFC 8259 wants it to be portable: UTF-8, no member twice, nothing deep, no `__proto__`. Two readers of one
 * text must not see two values.
 * @throws invalid_request, status 400
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable('The body is not UTF-8.');
  }
  const { depth, members } = shapeOf(text);
  if (depth > maxDepth) throw unreadable(`The body nests deeper than ${maxDepth} levels.`);
  let read = 0;
  const value = parse(text, function (this: unknown, key, member) {
    if (key === '__proto__') throw unreadable('The body has a member __proto__.');
    if (!Array.isArray(this)) read += 1;
    return member;
  });
  // JSON.parse keeps the last of two members of one name without a word; the root counts as one more.
  if (read !== members + 1) throw unreadable('The body names a member twice.');
  return value;
}

function parse(text: string, reviver: (this: unknown, key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw error instanceof AppError ? error : unreadable('The body is not JSON.');
  }
}

/** How deep a JSON text nests, and how many members its objects name: outside of strings, each colon is one. */
function shapeOf(text: string): { depth: number; members: number } {
  let open = 0;
  let depth = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === ':') members += 1;
    else if (c === '{' || c === '[') depth = Math.max(depth, (open += 1));
    else if (c === '}' || c === ']') open -= 1;
  }
  return { depth, members };
}

function unreadable(detail: string): AppError {
  return new AppError('invalid_request', detail, {
    status: 400,
    errors: [{ pointer: '#', detail: 'could not be read as JSON' }],
  });
}
