import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { runInHost } from '../stack/command-line-host.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { root } from '../stack/stack.ts';

/** Runs the command line as a process of its own, without access to the stack's files. */
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

/** The same in a process that is shared with other commands, for tests that run many. */
export async function holdfastShared(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string; errors: string }> {
  const { exitCode, stdout, stderr } = await runInHost({ build: root, env, args });
  return { code: exitCode, output: stdout, errors: stderr };
}
