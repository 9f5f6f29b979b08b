import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AppKind } from '@holdfast/contracts';
import { freePorts } from '@holdfast/testing';
import { cleanEnvironment } from '../stack/config.ts';
import { newShortId, root, Stack, type App, type ControlAction } from '../stack/stack.ts';

/** A stack of its own, which a test may kill, stop, deprive of files and start again. */
export class PrivateStack extends Stack {
  readonly #replicas: string;
  /** Settings of the services. They may be changed between stop and start. */
  settings: NodeJS.ProcessEnv;
  /** Options of the launcher. They may be changed between stop and start. */
  options: string[] = [];
  /** When processes were stopped, killed, paused, cut off or started again, in performance.now(). */
  readonly disturbances: number[] = [];
  /** Whether the example shop runs as well, on the ports that the settings choose. */
  examples = false;
  #port = 0;
  #launcher: ChildProcess | undefined;

  constructor(home: string, replicas = 'gateway=2,subjects=2', settings: NodeJS.ProcessEnv = {}) {
    super(home);
    this.#replicas = replicas;
    this.settings = settings;
    mkdirSync(home, { recursive: true, mode: 0o700 });
  }

  /** Resolves when the stack is ready. The launcher's output goes to launcher.log in the stack's folder. */
  async start(): Promise<void> {
    // One for each gateway, at most two.
    this.#port ||= await freePorts(2);
    const examples = this.examples ? [] : ['--no-examples'];
    const launcher = this.#launch(...examples, '--severable', '--replicas', this.#replicas, ...this.options);
    this.#launcher = launcher;
    const ready = await Promise.race([
      once(launcher, 'message').then(() => true),
      once(launcher, 'exit').then(() => false),
    ]);
    if (!ready) {
      const log = readFileSync(join(this.home, 'launcher.log'), 'utf8');
      throw new Error(`the stack did not start. The end of its log:\n${log.slice(-2000)}`);
    }
  }

  override async control(
    action: ControlAction,
    target: string,
    options: { settings?: Record<string, string>; build?: string } = {},
  ): Promise<void> {
    this.disturbances.push(performance.now());
    await super.control(action, target, options);
  }

  /** By the command line, which may be that of another version. */
  override async newOrganization(): Promise<string> {
    const shortId = newShortId();
    await this.operator('org', 'create', shortId);
    return shortId;
  }

  override async newApp(
    org: string,
    name: string,
    grants: string[],
    kind: AppKind = 'web',
    redirectUris: string[] = [],
  ): Promise<App> {
    const list = [...grants.flatMap((g) => ['--grant', g]), ...redirectUris.flatMap((uri) => ['--redirect-uri', uri])];
    const { app, clientSecret } = await this.operator<{ app: Omit<App, 'clientSecret'>; clientSecret: string }>(
      'app',
      'create',
      org,
      '--name',
      name,
      '--kind',
      kind,
      ...list,
    );
    return { ...app, clientSecret };
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
        ...this.settings,
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
    this.disturbances.push(performance.now());
    const ended = once(launcher, 'exit');
    launcher.kill('SIGTERM');
    await ended;
  }

  /** Stops the stack and deletes all of its files, also those outside its folder. */
  async remove(): Promise<void> {
    await this.stop();
    await once(this.#launch('--reset'), 'exit');
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Deletes the files of JetStream. Only while the stack is stopped. */
  deleteJetStream(): void {
    rmSync(join(this.home, 'nats', 'jetstream'), { recursive: true });
  }
}
