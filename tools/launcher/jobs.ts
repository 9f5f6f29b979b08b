import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { displayPath, ReportedError } from '../infra/console.ts';
import { compileCache, root } from '../setup/paths.mjs';
import { settings } from '../setup/settings.mjs';
import { inherited } from './service-env.ts';

/** Runs programs that do one thing and exit: migrations, the declaration of the streams, the seed of the demo. */
export class Jobs {
  readonly #logFile: string;
  readonly #declared: ReadonlySet<string>;
  readonly #running = new Set<ChildProcess>();
  #stopped = false;

  /** @param declared settings that reach the programs (declaredSettings) */
  constructor(logFile: string, declared: ReadonlySet<string>) {
    this.#logFile = logFile;
    this.#declared = declared;
    mkdirSync(dirname(logFile), { recursive: true });
  }

  /** @returns its stdout; @throws ReportedError with the last line of its output when it fails */
  async run(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
    if (this.#stopped) throw new ReportedError(`${name} was not started, since the stack is stopping.`);
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: root,
      env: {
        LOG_LEVEL: 'info',
        ...inherited(settings(), this.#declared),
        NODE_COMPILE_CACHE: compileCache,
        NODE_ENV: 'production',
        HOLDFAST_EXIT_WITH_PARENT: '1',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    const status = await new Promise<number | string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
    this.#running.delete(child);
    if (stderr) appendFileSync(this.#logFile, stderr, { mode: 0o600 });
    if (status === 0) return stdout;
    if (stdout) appendFileSync(this.#logFile, stdout, { mode: 0o600 });
    const lastLine = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
    throw new ReportedError(`${name} failed (${status}): ${lastLine} (log: ${displayPath(this.#logFile)})`);
  }

  /** Kills running programs and starts no more. */
  stop(): void {
    this.#stopped = true;
    for (const child of this.#running) child.kill('SIGKILL');
  }
}
