import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { declaredEndpoints } from '../declared-endpoints.js';
import { openApi } from './openapi.js';
import { referenceScript } from './reference-script.js';

type Json = Record<string, unknown>;
type Resolve = (document: Json, path: string[]) => Promise<{ spec: Json; errors: unknown[] }>;

/** What the script gives to Swagger UI in place of its resolver. */
function resolver(): Resolve {
  let plugin: ((system: object) => { fn: { resolveSubtree: Resolve } }) | undefined;
  const SwaggerUIBundle = ({ plugins }: { plugins: [typeof plugin] }) => void ([plugin] = plugins);
  runInNewContext(referenceScript, { window: {}, SwaggerUIBundle, matchMedia: () => ({ matches: false }) });
  return plugin!({}).fn.resolveSubtree;
}

const references = (value: unknown) => JSON.stringify(value).match(/"\$ref":"[^"]*"/g) ?? [];

test('the reference page resolves every reference of every operation', async () => {
  const document = JSON.parse(JSON.stringify(openApi(declaredEndpoints(), 'https://id.example'))) as Json;
  const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ['paths', path, method]),
  );
  expect(references(document.paths).length).toBeGreaterThan(100);
  const resolve = resolver();
  for (const operation of operations) {
    const { spec, errors } = await resolve(document, operation);
    expect([operation, references(spec), errors]).toEqual([operation, [], []]);
  }
});

test('the reference page keeps what stands beside a reference, and ends where a schema contains itself', async () => {
  const tree = { type: 'object', properties: { parent: { $ref: '#/components/schemas/a~1tree' } } };
  const document = { components: { schemas: { 'a/tree': tree } }, paths: { '/x': { get: tree } } };
  const { spec } = await resolver()(document, ['paths', '/x', 'get']);
  expect(JSON.parse(JSON.stringify(spec))).toEqual({
    type: 'object',
    properties: { parent: tree },
  });
  const described = { $ref: '#/components/schemas/a~1tree', description: 'The root' };
  const { spec: root } = await resolver()({ ...document, paths: { '/x': described } }, ['paths', '/x']);
  expect(root).toMatchObject({ type: 'object', description: 'The root' });
});
