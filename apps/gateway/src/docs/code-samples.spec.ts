import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { codeSamplesOf } from './code-samples.js';

const described = {
  operationId: 'renameThing',
  security: [{ clientCredentials: ['things:manage'] }, { hubSession: [] }],
  parameters: [
    { name: 'shortId', in: 'path', required: true, schema: { examples: ['acme'] } },
    { name: 'id', in: 'path', required: true, schema: { examples: ['t1'] } },
    { name: 'limit', in: 'query', required: false, schema: { default: 50 } },
    { name: 'from', in: 'query', required: false, schema: { default: 1 } },
  ],
  responses: { 200: { content: { 'application/json': {} } }, 404: { content: { 'application/problem+json': {} } } },
};
const bodyOf = (value: unknown) => ({ content: { 'application/json': { examples: { first: { value } } } } });
const samplesOf = (more: object) =>
  (
    codeSamplesOf('POST', '/o/{shortId}/things/{id}', { ...described, ...more }, 'https://id.example') as {
      'x-codeSamples'?: { source: string }[];
    }
  )['x-codeSamples']?.map(({ source }) => source);

it('shows what is required and the page size, with the first example of the body', () => {
  expect(samplesOf({ requestBody: bodyOf({ name: 'A', tags: ['x'] }) })).toEqual([
    `curl -X POST 'https://id.example/o/acme/things/t1?limit=50' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"A","tags":["x"]}'`,
    `const result = await holdfast.renameThing({
  path: { id: 't1' },
  query: { limit: 50 },
  body: { name: 'A', tags: ['x'] },
});`,
  ]);
});

it('keeps every character of a text through the shell and through TypeScript', () => {
  const text = `It's "quoted" \\ $HOME \`id\` \\"\n`;
  const [curl = '', typescript = ''] = samplesOf({ requestBody: bodyOf({ text, 'a-b': null }) }) ?? [];
  const shell = `curl() { printf '%s' "\${@: -1}"; }\n${curl}`;
  expect(JSON.parse(execFileSync('bash', ['-c', shell]).toString())).toEqual({ text, 'a-b': null });
  const literal = typescript.slice(typescript.indexOf('({') + 1, -2);
  const value = String(runInNewContext(`JSON.stringify(${literal})`));
  expect(JSON.parse(value)).toMatchObject({ body: { text, 'a-b': null } });
});

it('is of no operation that an app cannot call, and refuses one without an example', () => {
  expect(samplesOf({ security: [{ hubSession: [] }] })).toBeUndefined();
  const parameters = [{ name: 'shortId', in: 'path', required: true, schema: {} }];
  expect(() => samplesOf({ parameters })).toThrow('The parameter shortId of renameThing has no example.');
});
