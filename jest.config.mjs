import { fileURLToPath } from 'node:url';
import { filesOfOtherLanes } from './tools/testing/lanes.mjs';

/**
 * Three stages, one jest run each: `unit` has no I/O, `integration` has a real PostgreSQL and a real nats-server,
 * `e2e` talks to a whole running stack from outside.
 */
const stages = {
  unit: {
    testMatch: ['<rootDir>/{apps,libs,tools,examples,bench}/**/*.spec.ts'],
    testPathIgnorePatterns: ['\\.int\\.spec\\.ts$', '<rootDir>/apps/e2e/'],
  },
  integration: { testMatch: ['<rootDir>/{apps,libs,tools,examples}/**/*.int.spec.ts'] },
  e2e: {
    testMatch: ['<rootDir>/apps/e2e/**/*.spec.ts'],
    testPathIgnorePatterns: process.env.HOLDFAST_TEST_LANES ? filesOfOtherLanes(process.env.HOLDFAST_TEST_LANES) : [],
  },
};

const stage = process.env.HOLDFAST_TEST_STAGE ?? 'unit';
if (!(stage in stages)) throw new Error(`HOLDFAST_TEST_STAGE must be one of ${Object.keys(stages).join(', ')}`);

export default {
  testEnvironment: stage === 'e2e' ? './tools/testing/e2e-environment.mjs' : 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { configFile: fileURLToPath(new URL('./.swcrc', import.meta.url)) }] },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^tweetnacl$': fileURLToPath(new URL('./tools/testing/tweetnacl.cjs', import.meta.url)),
  },
  testEnvironmentOptions: { customExportConditions: ['@holdfast/source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['/dist/', '/\\.nx/', '/\\.holdfast/'],
  ...(stage === 'e2e' && { testSequencer: './tools/testing/sequencer.mjs' }),
  coverageProvider: 'v8',
  // Beside other work a test of seconds takes a minute. It is longer than `eventually` waits, whose error says more.
  testTimeout: stage === 'e2e' ? 600_000 : 180_000,
  // For two cores. Integration tests wait for servers and browsers half of their time. The stage e2e has a jest run for
  // each lane (tools/testing/lanes.mjs).
  maxWorkers: { unit: 2, integration: 4, e2e: 1 }[stage],
  ...stages[stage],
};
