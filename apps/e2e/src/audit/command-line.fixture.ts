import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnvironment } from '../config.ts';
import { root } from '../stack.ts';

/** Runs the command line without access to the stack's files. */
export function holdfast(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string; errors: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(root, 'apps', 'cli', 'dist', 'main.js'), ...args],
      { env: cleanEnvironment(env), maxBuffer: 1 << 26 },
      (_, output, errors) => resolve({ code: child.exitCode ?? -1, output, errors }),
    );
    child.stdin?.end();
  });
}
