import { mkdirSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A value in a JSON file. Each save writes a second file and renames it, so that a crash leaves the old file or the new
 * one, never an incomplete one.
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

  /** Resolves when the current value is on disk. Saves run one after another. */
  save(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write(): Promise<void> {
    const temporary = `${this.#path}.new`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(this.value, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
  }
}

/** An unreadable file stops the shop: starting with no accounts would overwrite it at the next save. */
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
    throw new Error(`${path} is damaged. Repair it, or move it away to start without accounts.`);
  }
}
