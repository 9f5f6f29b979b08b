import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tracesIn } from '@holdfast/testing';
import { stack } from '../clients/under-test.ts';

export interface StoredFile {
  name: string;
  bytes: Buffer;
}

interface Found {
  file: string;
  traces: string[];
}

/** The files that contain one of the values, in any encoding. */
export function found(files: StoredFile[], values: string[]): Found[] {
  return files
    .map(({ name, bytes }) => ({ file: name, traces: tracesIn(bytes, values) }))
    .filter(({ traces }) => traces.length > 0);
}

/** All files below a folder of the stack. A file that is deleted meanwhile counts as empty. */
export function filesBelow(...folder: string[]): StoredFile[] {
  const path = join(stack.home, ...folder);
  const names = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map((entry) => ({ name: entry.name, bytes: readOrEmpty(join(entry.parentPath, entry.name)) }));
}

function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** How a text may be spelled where it is stored: letter case, composition, and encodings of URLs, forms and JSON. */
export function spellings(text: string): string[] {
  const cased = [text, text.toLowerCase(), text.toUpperCase()];
  const composed = cased.flatMap((form) => [form, form.normalize('NFD')]);
  return [
    ...new Set(
      composed.flatMap((form) => [
        form,
        encodeURIComponent(form),
        new URLSearchParams([['', form]]).toString().slice(1),
        form.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
      ]),
    ),
  ];
}
