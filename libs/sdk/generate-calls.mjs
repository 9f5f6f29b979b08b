// Writes src/calls.ts: what `holdfastClient` can call, from the API reference. A build runs this first.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @typedef {{ name: string, in: string }} Parameter
 * @typedef {{ operationId: string, summary: string, description?: string, security?: Record<string, string[]>[],
 *   parameters?: Parameter[], responses: Record<string, { content?: Record<string, unknown> }> }} Operation
 */

/** @type {{ paths: Record<string, Record<string, Operation>> }} */
const { paths } = JSON.parse(readFileSync(at('../../docs/reference/openapi.json'), 'utf8'));

const calls = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, operation]) => scopeOf(operation) !== undefined && answersJson(operation))
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/**
 * The operation that an app needs for it; undefined where a token of an app is not enough.
 * @param {Operation} operation
 */
function scopeOf({ security = [] }) {
  return security.flatMap(({ clientCredentials = [] }) => clientCredentials)[0];
}

/**
 * Streams, files and tiles are read by `fetch`.
 * @param {Operation} operation
 */
function answersJson({ responses }) {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .every(([, { content }]) => content === undefined || 'application/json' in content);
}

/** @param {Operation} operation */
function isRepeatable({ parameters = [] }) {
  return parameters.some(({ name }) => name === 'Idempotency-Key');
}

/** @param {string} text */
const inComment = (text) => text.replaceAll('*/', '*\\/').replaceAll('\n', '\n   * ');

const members = calls.map(
  ({ path, method, operation }) => `  /**
   * ${inComment(operation.summary)}.${operation.description ? `\n   *\n   * ${inComment(operation.description)}` : ''}
   *
   * \`${method} ${path}\`, scope \`${scopeOf(operation)}\`
   */
  ${operation.operationId}: Call<'${operation.operationId}'>;`,
);
const routes = calls.map(
  ({ path, method, operation }) =>
    `  ${operation.operationId}: { method: '${method}', path: '${path}', scope: '${scopeOf(operation)}', ` +
    `isRepeatable: ${isRepeatable(operation)} },`,
);

writeFileSync(
  at('src/calls.ts'),
  `// Generated from docs/reference/openapi.json by generate-calls.mjs.
import type { Call, Route } from './call-types.js';

/** The calls of the API that an app can make with its own token and whose response is JSON or empty. */
export interface Calls {
${members.join('\n')}
}

export const routes: Readonly<Record<keyof Calls, Route>> = {
${routes.join('\n')}
};
`,
);
