import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Everything this house remembers: data, secrets, logs. Tests start a second house beside it by giving another folder. */
export const home = resolve(process.env.HOLDFAST_HOME || join(root, '.holdfast'));

/** Downloads, kept by `npm run reset`. One per clone, whatever the home. */
export const cache = join(root, '.holdfast', 'cache');
