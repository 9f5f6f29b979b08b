import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../setup/paths.mjs';
import { createArguments, frameworks } from './frameworks.ts';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

const read = <Content>(...path: string[]): Content => JSON.parse(readFileSync(join(root, ...path), 'utf8')) as Content;
const { packages } = read<{ packages: Record<string, { name?: string; version?: string }> }>('package-lock.json');

describe.each(Object.keys(frameworks))('the example %s', (name) => {
  const { dependencies } = read<Manifest>('examples', name, 'package.json');

  test('depends on the versions that the tests run it with', () => {
    const installed = Object.keys(dependencies).map((dependency) => {
      if (dependency === '@holdfast/sdk')
        return [dependency, `file:holdfast-sdk-${read<Manifest>('libs', 'sdk', 'package.json').version}.tgz`];
      const found = Object.entries(packages).find(
        ([path, { name: alias = path.replace('node_modules/', '') }]) =>
          alias === dependency && !path.includes('/node_modules/'),
      );
      // Next.js is not in the clone: `npm run examples` installs it.
      const version = found?.[1].version ?? (name === 'nextjs' && expect.stringMatching(/^\d+\.\d+\.\d+$/));
      return [dependency, version];
    });
    expect(dependencies).toEqual(Object.fromEntries(installed));
  });

  test('keeps its settings and packages out of a repository', () => {
    const ignored = readFileSync(join(root, 'examples', name, '.gitignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env', 'node_modules/']));
  });
});

test('every example without TypeScript can be copied', () => {
  const folders = readdirSync(join(root, 'examples')).filter((name) =>
    existsSync(join(root, 'examples', name, 'project.json')),
  );
  expect(folders.sort()).toEqual(Object.keys(frameworks).sort());
});

test('an example is registered with the addresses of where it runs', () => {
  const options = { organization: 'acme', name: 'shop', origin: 'https://shop.example' };
  expect(createArguments(frameworks.express!, options)).toEqual([
    ...['app', 'create', 'acme', '--name', 'shop', '--kind', 'web'],
    ...['--redirect-uri', 'https://shop.example/callback', '--redirect-uri', 'https://shop.example/'],
    ...['--post-logout-redirect-uri', 'https://shop.example/'],
    ...['--backchannel-logout-uri', 'https://shop.example/backchannel-logout', '--grant', 'offers:write'],
  ]);
  expect(createArguments(frameworks.native!, options)).toEqual([
    ...['app', 'create', 'acme', '--name', 'shop', '--kind', 'native'],
    ...['--redirect-uri', 'http://127.0.0.1/callback'],
  ]);
});
