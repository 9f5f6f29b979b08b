import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ReportedError, shown } from '../infra/say.ts';
import { root } from '../setup/paths.mjs';
import { settings } from '../setup/settings.mjs';
import { inherited } from './service-env.ts';

/** Runs programs that do one thing and end: migrations, the start job of the bus, the seed of the demo. */
export class Jobs {
  readonly #logFile: string;
  readonly #known: ReadonlySet<string>;
  readonly #running = new Set<ChildProcess>();
  #ended = false;

  constructor(logFile: string, known: ReadonlySet<string>) {
    this.#logFile = logFile;
    this.#known = known;
    mkdirSync(dirname(logFile), { recursive: true });
  }

  /** @returns what it printed to stdout; @throws ReportedError with its last word when it fails */
  async run(what: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
    if (this.#ended) throw new ReportedError(`${what} was not begun, since the stack is stopping.`);
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: {
        LOG_LEVEL: 'info',
        ...inherited(settings(), this.#known),
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
    const word = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
    throw new ReportedError(`${what} failed (${status}): ${word} (more in ${shown(this.#logFile)})`);
  }

  /** Ends what still runs; nothing is begun any more. */
  end(): void {
    this.#ended = true;
    for (const child of this.#running) child.kill('SIGKILL');
  }
}
