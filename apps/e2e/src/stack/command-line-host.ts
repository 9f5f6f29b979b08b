// Runs command lines in one process, since the start of a process takes half a second of CPU time. The real program
// (arguments, output, exit codes) is tested with processes in doctor.spec.ts, runbook.spec.ts and audit/proofs.spec.ts.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './config.ts';

export interface CommandLine {
  /** Folder of the build whose command line runs. */
  build: string;
  env: Record<string, string>;
  args: string[];
}

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** An unused host ends after this time. */
const idleMs = 120_000;

class Host {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (result: CommandResult) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(build: string, env: Record<string, string>, onEnd: () => void) {
    const program = fileURLToPath(new URL('./command-line-process.ts', import.meta.url));
    this.#process = fork(program, [join(build, 'apps', 'cli', 'dist', 'run-command.js')], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: cleanEnvironment(env),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process.on('message', ({ id, result }: { id: number; result: CommandResult }) => {
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
      if (this.#waiting.size > 0) return;
      this.#process.unref();
      this.#process.channel?.unref();
      this.#idle = setTimeout(() => {
        onEnd();
        if (this.#process.connected) this.#process.disconnect();
      }, idleMs).unref();
    });
    this.#process.once('exit', (code) => {
      onEnd();
      for (const { reject } of this.#waiting.values()) reject(new Error(`the command line host ended with ${code}`));
    });
  }

  run(args: string[]): Promise<CommandResult> {
    clearTimeout(this.#idle);
    this.#process.ref();
    this.#process.channel?.ref();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, args });
    });
  }
}

const hosts = new Map<string, Host>();

/**
 * jest gives each test file modules of its own, and a global object with this member: the same function for all files
 * (tools/testing/e2e-environment.mjs).
 */
export interface SharedHosts {
  runInSharedHost?: typeof runInOwnHost;
}

export const runInHost = (line: CommandLine): Promise<CommandResult> =>
  ((globalThis as SharedHosts).runInSharedHost ?? runInOwnHost)(line);

export function runInOwnHost({ build, env, args }: CommandLine): Promise<CommandResult> {
  const key = JSON.stringify([build, env]);
  let host = hosts.get(key);
  if (!host) hosts.set(key, (host = new Host(build, env, () => hosts.delete(key))));
  return host.run(args);
}
