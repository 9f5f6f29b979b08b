import { basename, dirname, relative } from 'node:path';
import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import ts from 'typescript-eslint';
import { layers } from './tools/house/layers.mjs';

const noProcessEnv = { selector: "MemberExpression[object.name='process'][property.name='env']", message: 'Read the environment in config.ts only.' };
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
  { ignores: ['**/dist/**', '**/node_modules/**', '**/coverage/**', '.nx/**', '.holdfast/**', 'libs/*/jest*', '**/*.d.ts'] },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['{apps,libs,examples}/*/src/**/*.ts'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { project: typesOf(process.cwd()), tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': ['error', { enforceBuildableLibDependency: false, allow: [], depConstraints: layers }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': 'off',
      'no-restricted-syntax': ['error', noProcessEnv],
      'no-restricted-imports': ['error', { patterns: [noTestingInSources] }],
      'no-console': 'error',
      'max-lines': ['error', 300],
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  { files: ['**/config.ts', '**/*.spec.ts', '**/*.fixture.ts', 'libs/testing/src/**'], rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off' } },
];
