import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { allStats, cpuOfTree } from '../processes.ts';
import type { Job, Load, Result } from './job.ts';

const execArgv = ['--disable-warning=ExperimentalWarning'];

/** A process that generates load, or is itself the baseline. It ends together with this one. */
export class Worker {
  readonly #child: ChildProcess;

  constructor(script: string, args: string[] = []) {
    this.#child = fork(fileURLToPath(new URL(script, import.meta.url)), args, { execArgv });
  }

  async run(job: Job, load: Load): Promise<Result> {
    this.#child.send({ job, load });
    const { result, error } = (await this.nextMessage()) as { result?: Result; error?: string };
    if (!result) throw new Error(error);
    return result;
  }

  async nextMessage(): Promise<unknown> {
    const cleanUp = new AbortController();
    const { signal } = cleanUp;
    const ended = once(this.#child, 'exit', { signal }).then(() => [{ error: 'a worker of the benchmark ended' }]);
    ended.catch(() => undefined);
    try {
      const [message] = (await Promise.race([once(this.#child, 'message', { signal }), ended])) as unknown[];
      return message;
    } finally {
      cleanUp.abort();
    }
  }

  /** In µs. */
  cpu(): number {
    return cpuOfTree(this.#child.pid ?? 0, allStats());
  }

  end(): void {
    this.#child.disconnect();
  }
}
