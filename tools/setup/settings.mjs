import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

/** The environment that this process was given, without what stands in the .env file. */
export const given = { ...process.env };

/**
 * Variables of the .env file in the clone as it is now (HOLDFAST_ENV_FILE names another file). No file, no variables.
 * @returns {Record<string, string>}
 */
export function envFile() {
  const path = given.HOLDFAST_ENV_FILE || join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.env');
  try {
    return /** @type {Record<string, string>} */ (parseEnv(readFileSync(path, 'utf8')));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * The settings as they are now: the .env file, over it what this process was given, over that what `more` says.
 * @param {NodeJS.ProcessEnv} [more]
 * @returns {NodeJS.ProcessEnv}
 */
export function settings(more = {}) {
  return { ...envFile(), ...given, ...more };
}
