import { mkdirSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A value in a file. Written aside and then moved into place, so that a crash leaves the old file or the new one, never
 * half of one.
 */
export class JsonFile<T> {
  readonly value: T;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, empty: T) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.value = read(path) ?? empty;
  }

  /** Resolves when what is there now is on disk. One write after the other. */
  save(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write(): Promise<void> {
    const aside = `${this.#path}.new`;
    const file = await open(aside, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(this.value, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, this.#path);
  }
}

/** A file that cannot be read stops us: going on with no accounts would soon overwrite them. */
function read<T>(path: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Error(`${path} is damaged; put it right, or move it away to begin with no accounts.`);
  }
}
