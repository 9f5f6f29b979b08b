// The unit tests of the Python client, one for one, and its types.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const folder = import.meta.dirname;
const python = (...args: string[]) =>
  spawnSync('python3', args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: join(folder, 'src') },
  });

/** Says why tests are skipped: what this machine does not have. */
function needs(isThere: boolean, what: string): typeof describe.skip {
  if (!isThere) process.stderr.write(`Skipped, because this machine has no ${what}: tests of libs/sdk-python\n`);
  return isThere ? describe : describe.skip;
}

const hasPython = python('-c', 'import sys; sys.exit(sys.version_info < (3, 10))').status === 0;

needs(hasPython, 'python3 of 3.10 or newer')('the Python client', () => {
  // One run of all, since Python takes a second to start beside other work.
  const { stderr } = hasPython
    ? python('-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-v')
    : { stderr: '' };
  // Such as `test_a_thing (test_client.Calls.test_a_thing) ... ok`; Python 3.10 leaves the last part of the name out.
  const results = [...stderr.matchAll(/^(test_\w+) \((test_\w+\.\w+)[^)]*\) \.\.\. (?:(ok|skipped .*)$)?/gm)];

  it('has tests that load', () => {
    expect(results.length).toBeGreaterThan(40);
    expect(stderr).toMatch(new RegExp(String.raw`^Ran ${results.length} tests in [^]*^OK`, 'm'));
  });

  for (const [, name = '', owner = '', result] of results)
    if (result?.startsWith('skipped')) {
      process.stderr.write(`${owner}: ${result}\n`);
      it.skip(`${owner} ${name}`, () => undefined);
    } else
      it(`${owner} ${name.slice('test_'.length).replaceAll('_', ' ')}`, () => {
        expect(result ?? detailsOf(name, stderr)).toBe('ok');
      });
});

/** What Python says about a test that failed. */
function detailsOf(name: string, output: string): string {
  const sections = output.split(/^=+$/m).filter((section) => /^\s*(FAIL|ERROR): /.test(section));
  return sections.find((section) => section.includes(`: ${name} `)) ?? output;
}

const hasMypy = hasPython && python('-m', 'mypy', '--version').status === 0;

needs(hasMypy, 'mypy in its python3')('its types', () => {
  it.each(['3.10', '3.11', '3.13'])('are strict for Python %s', (version) => {
    const { stdout } = python('-m', 'mypy', '--python-version', version, 'src', 'tests');
    expect(stdout).toMatch(/^Success/);
  });
});
