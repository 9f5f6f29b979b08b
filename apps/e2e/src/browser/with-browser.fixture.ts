import { describe } from '@jest/globals';

const out = process.env.HOLDFAST_NO_BROWSER === '1';

/** Tests that need a browser: they fail without one, unless it was said that they are left out. */
export const withBrowser = (name: string, tests: () => void): void => {
  if (out) process.stderr.write(`Left out, since HOLDFAST_NO_BROWSER=1: ${name}\n`);
  (out ? describe.skip : describe)(name, tests);
};
