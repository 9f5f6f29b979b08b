import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

/** The environment of this process, without the variables of the .env file. */
export const given = { ...process.env };

/**
 * Reads the variables of the clone's .env file (HOLDFAST_ENV_FILE names another file). Without a file there are none.
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
 * Reads the current settings: `more` wins over the environment of this process, which wins over the .env file.
 * @param {NodeJS.ProcessEnv} [more]
 * @returns {NodeJS.ProcessEnv}
 */
export function settings(more = {}) {
  return { ...envFile(), ...given, ...more };
}
