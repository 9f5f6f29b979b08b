// The rules that only this project has: who may import whom, and what has one place. Oxlint has all others
// (.oxlintrc.json), those that need types too: it reads the types of the whole workspace in seconds.
import nx from '@nx/eslint-plugin';
import { parser } from 'typescript-eslint';
import { layers } from './tools/architecture/layers.mjs';

const noProcessEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Read the environment in config.ts only.',
};
/**
 * What comes over the bus may be anything, and a loop that throws ends the process: both have one place
 * (libs/messaging/src/subscriptions/validated-subscription.ts, connection-status.ts).
 */
const busInOnePlace = [
  {
    selector: "CallExpression[callee.property.name='subscribe']",
    message: 'Subscribe with subscribeValidated() of libs/messaging: it drops and counts what does not fit its schema.',
  },
  {
    selector: "CallExpression[callee.property.name='status'][arguments.length=0]",
    message:
      'Follow the connection with onConnectionStatus() of libs/messaging: its loop survives what its body throws.',
  },
  {
    selector: "UnaryExpression[operator='void'] > CallExpression[callee.type=/Function/]",
    message: 'A loop that nobody waits for ends the process when it throws: give it a name and a catch().',
  },
];
/** A body that is read anywhere else is believed. */
const bodiesInOnePlace = {
  selector: "CallExpression[callee.property.name=/^(json|string)$/][callee.object.name!='z'][arguments.length=0]",
  message: 'Read a message with parseJson() and a schema.',
};
const noTestingInSources = { group: ['@holdfast/testing'], message: 'libs/testing is for tests only.' };

/** @param {string[]} allow */
const boundaries = (allow) => ['error', { enforceBuildableLibDependency: false, allow, depConstraints: layers }];

export default [
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.nx/**',
      '.holdfast/**',
      'libs/*/jest*',
      'libs/api-client/src/schema.ts',
      'libs/sdk/src/calls.ts',
      '**/*.d.ts',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    languageOptions: { parser },
    rules: { '@nx/enforce-module-boundaries': boundaries([]) },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['{apps,libs,examples}/*/src/**/*.{ts,tsx}'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(['#platform']),
      'no-restricted-syntax': ['error', noProcessEnv, ...busInOnePlace],
      'no-restricted-imports': ['error', { patterns: [noTestingInSources] }],
    },
  },
  {
    files: ['libs/{messaging,service,outbox,access,audit-client}/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', noProcessEnv, ...busInOnePlace, bodiesInOnePlace] },
  },
  {
    files: [
      'libs/messaging/src/subscriptions/validated-subscription.ts',
      'libs/messaging/src/connection/connection-status.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', noProcessEnv] },
  },
  // All of it is test code, and its processes end with the tests.
  {
    files: ['apps/e2e/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', noProcessEnv], 'no-restricted-imports': 'off' },
  },
  {
    files: ['**/config.ts', '**/*.spec.ts', '**/*.fixture.ts', 'libs/testing/src/**'],
    rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off' },
  },
];
