import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../setup/paths.mjs';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Target {
  inputs?: unknown[];
  options?: { command?: string };
}

/** Outside of the folders of projects: what the targets behind `nx run-many -t build` name as inputs or in commands. */
function filesOfBuildTargets(): string[] {
  const files = globSync('{apps,libs}/*/package.json', { cwd: root }).flatMap((path) => {
    const { nx } = JSON.parse(text(path)) as { nx?: { targets?: Record<string, Target> } };
    const { typecheck: _types, test: _tests, integration: _integration, ...targets } = nx?.targets ?? {};
    return Object.values(targets).flatMap(({ inputs = [], options }) => [
      ...inputs
        .filter((input) => typeof input === 'string')
        .map((input) => /^\{workspaceRoot\}\/(.+)/.exec(input)?.[1]),
      ...(options?.command ?? '').split(' ').map((word) => /^\.\.\/\.\.\/(?!node_modules\/)(.+)/.exec(word)?.[1]),
    ]);
  });
  return [...new Set(files.filter((file) => file !== undefined))];
}

test('the images are built with every file that a build reads outside of its project', () => {
  const stage = /^FROM .* AS build\n([\s\S]*?)^FROM /m.exec(text('docker/service.Dockerfile'))![1]!;
  const copied = [...stage.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '));
  const sent = text('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const has = (paths: string[], file: string): boolean =>
    paths.some((path) => file === path || file.startsWith(`${path}/`));

  const read = filesOfBuildTargets();
  expect(read).toContain('docs/reference/openapi.json');
  expect(read.filter((file) => !has(copied, file))).toEqual([]);
  expect(read.filter((file) => !has(sent, file))).toEqual([]);
});
