// Writes types.py, calls.py and version.py of src/holdfast from the API reference. A build runs this.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { docstring, pascal, snake, Types } from './generate-types.mjs';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const read = (/** @type {string} */ path) => JSON.parse(readFileSync(at(path), 'utf8'));

/**
 * @typedef {import('./generate-types.mjs').Schema} Schema
 * @typedef {Record<string, { schema?: Schema }>} Content
 * @typedef {{ name: string, in: string, required?: boolean, schema: Schema, description?: string }} Parameter
 * @typedef {{ operationId: string, summary: string, description?: string, security?: Record<string, string[]>[],
 *   parameters?: Parameter[], requestBody?: { required?: boolean, content: Content },
 *   responses: Record<string, { content?: Content }> }} Operation
 */

/**
 * @type {{ info: { version: string }, paths: Record<string, Record<string, Operation>>,
 *   components: { schemas: Record<string, Schema> } }}
 */
const { info, paths, components } = read('../../docs/reference/openapi.json');

const types = new Types(components.schemas);
const header = '# Generated from docs/reference/openapi.json by generate.mjs.';

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => scopeOf(operation) !== undefined && answersJson(operation))
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
writeFileSync(
  at('src/holdfast/calls.py'),
  `${header}
from __future__ import annotations

from typing import Any, Literal, Mapping, NamedTuple

from . import types as t


class Route(NamedTuple):
    method: str
    path: str
    #: The operation that the app must have been granted.
    scope: str
    #: Whether it accepts an Idempotency-Key, so that a repeat changes nothing again.
    is_repeatable: bool


class Calls:
    """The calls of the API that an app can make with its own token and whose response is JSON or empty."""

    def _call(
        self,
        route: Route,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        body: object = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        request_id: str | None,
        deadline_seconds: float | None,
    ) -> Any:
        raise NotImplementedError
${operations.map(callOf).join('')}

${operations.map(routeOf).join('')}`,
);
writeFileSync(at('src/holdfast/types.py'), `${header}\n${types.module()}`);
writeFileSync(
  at('src/holdfast/version.py'),
  `${header}
#: That of the SDK for TypeScript: both have the same calls.
__version__ = "${read('../sdk/package.json').version}"
#: Of the API reference that the calls and types are generated from.
API_REFERENCE_VERSION = "${info.version}"
`,
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
  return successes(responses).every(({ content }) => content === undefined || 'application/json' in content);
}

/** @param {Operation['responses']} responses */
function successes(responses) {
  return Object.entries(responses).flatMap(([status, response]) => (status.startsWith('2') ? [response] : []));
}

/**
 * @typedef {{ path: string, method: string, operation: Operation }} Described
 * @param {Described} described
 */
function callOf({ path, method, operation }) {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const owner = pascal(operationId);
  const has = (/** @type {string} */ name) => parameters.some((parameter) => parameter.name === name);
  const inPath = parameters.filter((parameter) => parameter.in === 'path' && parameter.name !== 'shortId');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const typeOf = (/** @type {Schema} */ schema, /** @type {string} */ name) => types.annotation(schema, name, 't.');
  const optional = (/** @type {string} */ name, /** @type {string} */ type) => `${name}: ${type} | None = None`;
  const passed = [`_${snake(operationId).toUpperCase()}`];

  const first = inPath.map(({ name, schema }) => `${snake(name)}: ${typeOf(schema, owner + pascal(name))}`);
  if (inPath.length > 0) passed.push(`path={${inPath.map(({ name }) => `"${name}": ${snake(name)}`).join(', ')}}`);
  const named = inQuery.map(({ name, schema, required }) => {
    const type = isBoolean(schema) ? 'bool' : typeOf(schema, owner + pascal(name));
    return required ? `${snake(name)}: ${type}` : optional(snake(name), type);
  });
  if (inQuery.length > 0) passed.push(`query={${inQuery.map(({ name }) => `"${name}": ${snake(name)}`).join(', ')}}`);
  const body = requestBody?.content['application/json']?.schema;
  if (body) {
    const type = typeOf(body, `${owner}Body`);
    named.push(requestBody.required ? `body: ${type}` : optional('body', type));
    passed.push('body=body');
  }
  for (const [option, isAccepted] of [
    ['idempotency_key', has('Idempotency-Key')],
    ['if_match', has('If-Match')],
  ])
    if (isAccepted) {
      named.push(optional(`${option}`, 'str'));
      passed.push(`${option}=${option}`);
    }
  named.push(optional('request_id', 'str'), optional('deadline_seconds', 'float'));
  passed.push('request_id=request_id', 'deadline_seconds=deadline_seconds');

  const results = successes(responses).map(({ content }) => content?.['application/json']?.schema);
  const result = [...new Set(results.map((schema) => (schema ? typeOf(schema, `${owner}Result`) : 'None')))].join(
    ' | ',
  );
  const text = [
    `${operation.summary}.`,
    ...(operation.description ? [operation.description] : []),
    ...inQuery.flatMap(({ name, description }) => (description ? [`:param ${snake(name)}: ${description}`] : [])),
    `\`\`${method} ${path}\`\`, scope \`\`${scopeOf(operation)}\`\``,
  ].join('\n\n');
  return `
    def ${snake(operationId)}(
        self,
${[...first, '*', ...named].map((line) => `        ${line},\n`).join('')}    ) -> ${result}:
${docstring(text, 8)}
        result: ${result} = self._call(
${passed.map((line) => `            ${line},\n`).join('')}        )
        return result
`;
}

/** @param {Schema} schema */
function isBoolean({ enum: values = [] }) {
  return [...values].sort().join() === 'false,true';
}

/** @param {Described} described */
function routeOf({ path, method, operation }) {
  const isRepeatable = operation.parameters?.some(({ name }) => name === 'Idempotency-Key');
  const values = [method, path, scopeOf(operation)].map((value) => JSON.stringify(value)).join(', ');
  return `_${snake(operation.operationId).toUpperCase()} = Route(${values}, ${isRepeatable ? 'True' : 'False'})\n`;
}
