import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { declaredEndpoints } from '../declared-endpoints.js';
import { openApi } from './openapi.js';

// CommonJS: its types and its exports do not fit together under ESM.
const require = createRequire(import.meta.url);
interface Finding {
  code: string | number;
  message: string;
  path: (string | number)[];
}
const { Spectral } = require('@stoplight/spectral-core') as {
  Spectral: new () => { setRuleset(ruleset: object): void; run(document: object): Promise<Finding[]> };
};
const { oas } = require('@stoplight/spectral-rulesets') as { oas: object };

const description = openApi(declaredEndpoints(), 'https://id.example');

// Users of the description would get these findings from their own tools.
test('Spectral has no findings by its rules for OpenAPI', async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas] });
  const findings = await spectral.run(description);
  expect(findings.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`)).toEqual([]);
});

test('Redocly has no findings by its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const findings = await lintFromString({ source: JSON.stringify(description), absoluteRef: '/openapi.json', config });
  expect(findings.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test('patterns compile with and without the flag u, and use neither Unicode classes nor look-behind', () => {
  const patterns = [...JSON.stringify(description).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!) as string,
  );
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter((pattern) => /\\[pP]\{|\(\?<|\(\?[a-z]/.test(pattern))).toEqual([]);
  for (const flags of ['', 'u']) expect(() => patterns.map((pattern) => new RegExp(pattern, flags))).not.toThrow();
});
