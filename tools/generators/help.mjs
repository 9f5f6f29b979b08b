import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const columns = 120;
const indent = ' '.repeat(6);

/**
 * @typedef {{ type?: string, enum?: string[], default?: unknown, description?: string, $default?: object }} Option
 * @typedef {{ properties: Record<string, Option>, required?: string[] }} Schema
 */

/** @param {string[]} path @returns {unknown} */
const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

/** The generators by name. */
export const { generators } = /** @type {{ generators: Record<string, { schema: string, description: string }> }} */ (
  read('generators.json')
);

/** What can be generated. */
export function overview() {
  const rows = Object.entries(generators).map(([name, { description }]) => `  ${name.padEnd(10)}${description}`);
  return `npm run new -- GENERATOR NAME [options]

${rows.join('\n')}
  example   An app that signs customers in, in a folder outside of the clone: for developers of organizations

The options: npm run new -- GENERATOR --help
`;
}

/**
 * The options of a generator, from its schema.
 * @param {string} name
 */
export function help(name) {
  const { schema, description } = /** @type {{ schema: string, description: string }} */ (generators[name]);
  const { properties, required = [] } = /** @type {Schema} */ (read(schema));
  const options = Object.entries(properties)
    .filter(([, { $default }]) => $default === undefined)
    .map(([option, declared]) => {
      const value = declared.type === 'boolean' ? '' : `=${declared.enum?.join('|') ?? '…'}`;
      const isRequired = required.includes(option) ? '  required' : '';
      const byDefault = declared.default === undefined ? '' : `  default: ${JSON.stringify(declared.default)}`;
      return `  --${option}${value}${isRequired}${byDefault}\n${wrapped(declared.description ?? '')}`;
    });
  return `npm run new -- ${name} NAME [options]

${description}

  NAME  required
${wrapped(properties.name?.description ?? '')}
${options.join('\n')}
  --dry-run
${wrapped('Names the files that would be written, and writes nothing')}
`;
}

/** @param {string} text */
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => indent + line).join('\n');
}
