import { AppError } from '../errors/app-error.js';

/** A deeper body could exhaust the stack of code that walks it recursively. */
const maxDepth = 20;

/**
 * Parses JSON that every reader interprets alike (RFC 8259): UTF-8, no duplicate members, limited depth, no
 * `__proto__`.
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
  // JSON.parse silently keeps the last of duplicate members. The reviver is called once more, for the root.
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

/** Depth of a JSON text, and the number of its members: each colon outside a string belongs to one. */
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
