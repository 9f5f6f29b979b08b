import tools from '../tools/eslint.config.mjs';

// As the tools: it prints, reads the environment and runs from its sources.
export default [
  ...tools,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: ['./tsconfig.json'], tsconfigRootDir: import.meta.dirname } },
  },
];
