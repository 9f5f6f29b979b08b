import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { cleanEnvironment } from '../stack/config.ts';
import { root } from '../stack/stack.ts';

/** Tests that need python3 of 3.10 or newer with these modules. Without them they are skipped, and this says why. */
export function withPython(modules: string[], name: string, tests: () => void): void {
  const script = `import sys; sys.exit(sys.version_info < (3, 10))\n`;
  const missing = ['', ...modules].find(
    (module) => spawnSync('python3', ['-c', module ? `import ${module}` : script]).status !== 0,
  );
  if (missing === undefined) return describe(name, tests);
  const what = missing ? `module ${missing} in its python3` : 'python3 of 3.10 or newer';
  process.stderr.write(`Skipped, because this machine has no ${what}: ${name}\n`);
  describe.skip(name, tests);
}

/** The client for Python, installed from its wheel into a folder outside of the clone. */
export class InstalledClient {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async install(): Promise<InstalledClient> {
    const folder = mkdtempSync(join(tmpdir(), 'sdk-python-'));
    const run = promisify(execFile);
    const packed = await run('npm', ['run', '--silent', 'sdk:pack-python', '--', folder], { cwd: root });
    const wheel = packed.stdout.trim();
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', join(folder, 'site'), wheel];
    // Python of Debian has no pip. A wheel of sources is installed by unpacking it.
    await run('python3', pip, { env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' } }).catch(() =>
      run('python3', ['-m', 'zipfile', '-e', wheel, join(folder, 'site')]),
    );
    return new InstalledClient(folder);
  }

  /** Writes each example of the README to a file that is named after its first function, and returns their names. */
  writeExamples(organization: string): string[] {
    const readme = readFileSync(join(root, 'libs', 'sdk-python', 'README.md'), 'utf8');
    return [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => {
      const name = /^def (\w+)/m.exec(code)?.[1] ?? 'first_offer';
      writeFileSync(join(this.folder, `${name}.py`), code.replace('"acme"', JSON.stringify(organization)));
      return name;
    });
  }

  environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const pythonPath = [join(this.folder, 'site'), this.folder].join(':');
    return cleanEnvironment({ PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1', ...more });
  }

  /** Runs Python with this input, and resolves to what it prints. Its errors are shown. */
  async python(args: string[], { env, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
    const child = spawn('python3', args, { cwd: this.folder, env: this.environment(env) });
    child.stdin.on('error', () => undefined).end(input);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { stdout, stderr, status };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
