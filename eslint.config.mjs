import { basename, dirname, relative } from 'node:path';
import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import ts from 'typescript-eslint';
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

/** Nx lints a project from its folder: then its own types are enough, and reading those of all takes minutes. */
function typesOf(folder) {
  const where = basename(dirname(folder));
  const here = relative(import.meta.dirname, folder);
  if (where === 'examples') return [`${here}/tsconfig.json`];
  if (['apps', 'libs'].includes(where)) return [`${here}/tsconfig.{lib,spec}.json`];
  return ['{apps,libs}/*/tsconfig.{lib,spec}.json', 'examples/*/tsconfig.json'];
}

export default [
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/coverage/**',
      '.nx/**',
      'libs/api-client/src/schema.ts',
      'src/schema.ts',
      '.holdfast/**',
      'libs/*/jest*',
      '**/*.d.ts',
    ],
  },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['{apps,libs,examples}/*/src/**/*.{ts,tsx}'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { project: typesOf(process.cwd()), tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { enforceBuildableLibDependency: false, allow: ['#platform'], depConstraints: layers },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': 'off',
      'no-restricted-syntax': ['error', noProcessEnv, ...busInOnePlace],
      'no-restricted-imports': ['error', { patterns: [noTestingInSources] }],
      'no-console': 'error',
      'max-lines': ['error', 350],
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
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
    rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off', 'max-lines': ['error', 500] },
  },
];
