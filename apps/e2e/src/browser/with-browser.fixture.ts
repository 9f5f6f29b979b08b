import { describe } from '@jest/globals';

const isSkipped = process.env.HOLDFAST_NO_BROWSER === '1';

/** Tests that need a browser. They fail without one, unless HOLDFAST_NO_BROWSER=1 skips them. */
export const withBrowser = (name: string, tests: () => void): void => {
  if (isSkipped) process.stderr.write(`Skipped, because HOLDFAST_NO_BROWSER=1: ${name}\n`);
  (isSkipped ? describe.skip : describe)(name, tests);
};
