import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanEnvironment } from '../config.ts';
import { root, Stack } from '../stack.ts';

/** A stack of our own, which may be killed, stopped, robbed of its files and started again. */
export class PrivateStack extends Stack {
  readonly #replicas: string;
  /** May be changed between stop and start. */
  extra: NodeJS.ProcessEnv;
  /** Options of the launcher; may be changed likewise. */
  options: string[] = [];
  #port = 0;
  #launcher: ChildProcess | undefined;

  /** `extra`: settings of its services. */
  constructor(home: string, replicas = 'gateway=2,subjects=2', extra: NodeJS.ProcessEnv = {}) {
    super(home);
    this.#replicas = replicas;
    this.extra = extra;
    mkdirSync(home, { recursive: true, mode: 0o700 });
  }

  /** Resolves when it is ready. What it says goes to launcher.log in its home. */
  async start(): Promise<void> {
    this.#port ||= await freePortPair();
    const launcher = this.#launch('--no-examples', '--severable', '--replicas', this.#replicas, ...this.options);
    this.#launcher = launcher;
    const ready = await Promise.race([
      once(launcher, 'message').then(() => true),
      once(launcher, 'exit').then(() => false),
    ]);
    if (!ready) throw new Error(`the stack did not start; see ${join(this.home, 'launcher.log')}`);
  }

  #launch(...args: string[]): ChildProcess {
    const launcher = fork(join(root, 'tools', 'launcher', 'main.ts'), args, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: cleanEnvironment({
        HOLDFAST_HOME: this.home,
        HOLDFAST_ENV_FILE: join(this.home, '.env'),
        PORT: String(this.#port),
        RATE_LIMITS: 'all=1000000',
        CLIENT_RATE_PER_MINUTE: '1000000',
        ...this.extra,
      }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const keep = (chunk: Buffer) => appendFileSync(join(this.home, 'launcher.log'), chunk);
    launcher.stdout!.on('data', keep);
    launcher.stderr!.on('data', keep);
    const kill = () => launcher.kill('SIGTERM');
    process.once('exit', kill);
    launcher.once('exit', () => process.off('exit', kill));
    return launcher;
  }

  async stop(): Promise<void> {
    const launcher = this.#launcher;
    if (!launcher || launcher.exitCode !== null || launcher.signalCode !== null) return;
    const ended = once(launcher, 'exit');
    launcher.kill('SIGTERM');
    await ended;
  }

  /** Takes away all that it ever wrote, also what lies outside its home. */
  async remove(): Promise<void> {
    await this.stop();
    await once(this.#launch('--reset'), 'exit');
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Only while it is stopped. */
  loseJetStream(): void {
    rmSync(join(this.home, 'nats', 'jetstream'), { recursive: true });
  }
}

/** Two neighbouring ports, below those that systems give to outgoing connections. */
async function freePortPair(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 9_000);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve((server.address() as AddressInfo | null) === null)));
  });
}
