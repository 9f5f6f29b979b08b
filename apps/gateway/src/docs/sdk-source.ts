const maxLineLength = 80;

/** The source of the client that the other samples call `holdfast`. */
export function clientSource(baseUrl: string): string {
  return `import { env } from 'node:process';
import { holdfastClient } from '@holdfast/sdk';

const holdfast = holdfastClient({
  baseUrl: ${literal(baseUrl)},
  organization: 'acme',
  clientId: env.CLIENT_ID!,
  clientSecret: env.CLIENT_SECRET!,
});`;
}

/** The source of a call whose response is JSON or empty. Members without a value are left out. */
export function callSource(name: string, parameters: Record<string, unknown>, hasResult: boolean): string {
  const given = Object.entries(parameters).filter(
    ([member, value]) => value !== undefined && (member === 'body' || Object.keys(value as object).length > 0),
  );
  const start = `${hasResult ? 'const result = ' : ''}await holdfast.${name}(`;
  return `${start}${given.length === 0 ? '' : literal(Object.fromEntries(given), '', start.length)});`;
}

/** The source of a read whose response is no JSON. */
export function fetchSource(path: string, scope: string): string {
  return `const response = await holdfast.fetch(\n  ${literal(path)},\n  ${literal(scope)},\n);`;
}

/** A JSON value as a literal of TypeScript. It stays on its line if it fits behind `before` characters. */
function literal(value: unknown, indent = '', before = 0): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => {
        const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
        return `${key}: ${literal(item, inner, key.length + 2)}`;
      });
  const space = Array.isArray(value) ? '' : ' ';
  if (members.length === 0) return open + close;
  const line = `${open}${space}${members.join(', ')}${space}${close}`;
  if (!line.includes('\n') && indent.length + before + line.length < maxLineLength) return line;
  return [open, ...members.map((member) => `${inner}${member},`), `${indent}${close}`].join('\n');
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
