import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeBlock, eventually } from '@holdfast/testing';
import { stack } from '../clients/under-test.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { root, type App } from '../stack/stack.ts';

const run = promisify(execFile);

/** Packages that the clone has under another name. */
const aliases: Record<string, string> = { express: 'express5' };

/** An example of docs/quickstarts.md, made by its commands in a folder outside of the clone. */
export class Example {
  readonly folder: string;
  /** What `npm run new` has printed. */
  readonly instructions: string;
  /** What the program has printed. */
  output = '';
  readonly #start: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string, start: string, instructions: string) {
    this.folder = folder;
    this.#start = start;
    this.instructions = instructions;
  }

  /**
   * @param options further ones of `npm run new -- example`, in place of `--create`
   * @param hasRegistry whether npm installs the packages, in place of links to those of the clone
   */
  static async make(name: string, options: string[], hasRegistry = false): Promise<Example> {
    const [generate = '', install = '', start = ''] = codeBlock('quickstarts.md', 'sh', `example ${name} `).split('\n');
    const [, documented = ''] = / (\S+) --create$/.exec(generate) ?? [];
    if (install !== `cd ${documented} && npm install`) throw new Error(`not what the test replaces: ${install}`);
    const folder = mkdtempSync(join(tmpdir(), 'example-'));
    const command = generate.replace(`${documented} --create`, [folder, ...options].join(' '));
    const { stdout } = await run('sh', ['-c', command], {
      cwd: root,
      env: cleanEnvironment({ HOLDFAST_HOME: stack.home }),
    });
    if (hasRegistry)
      await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env: cleanEnvironment({}) });
    else await linkPackages(folder);
    return new Example(folder, start, stdout);
  }

  get settings(): Record<string, string> {
    const lines = readFileSync(join(this.folder, '.env'), 'utf8').trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  }

  /** Creates the app by the command that `npm run new` has printed, and puts its client ID into the settings. */
  async createPrintedApp(): Promise<void> {
    const [, command = ''] = /^ {2}\.\/holdfast (.+)$/m.exec(this.instructions) ?? [];
    const { app } = await stack.operator<{ app: App }>(...command.split(' '));
    const file = join(this.folder, '.env');
    writeFileSync(file, readFileSync(file, 'utf8').replace('CLIENT_ID=', `CLIENT_ID=${app.clientId}`));
  }

  /** @param until what the program prints when it is ready */
  async start(until: RegExp, ...options: string[]): Promise<void> {
    const command = options.length > 0 ? `${this.#start} -- ${options.join(' ')}` : this.#start;
    // A group of its own, since npm runs the program in a shell.
    this.#process = spawn('sh', ['-c', command], { cwd: this.folder, env: cleanEnvironment({}), detached: true });
    for (const stream of [this.#process.stdout!, this.#process.stderr!])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    await this.prints(until);
  }

  /** Waits until the program has printed something, and resolves to what matches. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => {
      const found = pattern.exec(this.output);
      if (!found) throw new Error(`${pattern} is not in: ${this.output}`);
      return found;
    });
  }

  enter(line: string): void {
    this.#process?.stdin?.write(`${line}\n`);
  }

  /** The exit code, when the program ends by itself. */
  async end(): Promise<number | null> {
    await eventually(() => this.#process?.exitCode != null);
    return this.#process!.exitCode;
  }

  stop(): void {
    const { pid, exitCode } = this.#process ?? {};
    if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * As `npm install` would, without a registry. The clone has the same versions, says
 * tools/generators/example/frameworks.spec.ts.
 */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  for (const [name, version] of Object.entries(dependenciesOf(folder))) {
    const archive = version.startsWith('file:') ? join(folder, version.slice('file:'.length)) : undefined;
    if (archive === undefined) link(modules, name);
    else {
      const installed = join(modules, name);
      mkdirSync(installed, { recursive: true });
      await run('tar', ['xzf', archive, '-C', installed, '--strip-components=1']);
      for (const needed of Object.keys(dependenciesOf(installed))) link(modules, needed);
    }
  }
}

function link(modules: string, name: string): void {
  const path = join(modules, name);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(join(root, 'node_modules', aliases[name] ?? name), path);
}

function dependenciesOf(folder: string): Record<string, string> {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
}
