// `npm start` on a fresh clone installs no packages of tests and checks (tools/setup/modules.mjs).
import { builtinModules } from 'node:module';
import { expect, test } from '@jest/globals';
import { filesBelow, textOf } from './files.ts';
import { importsOf } from './imports.ts';

interface Entry {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  engines?: { node?: string };
  os?: string[];
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Entry> };

/** What `npm start` compiles, and the programs that it runs from their sources. */
const sources = filesBelow().filter(
  (file) =>
    /^(apps|libs|examples)\/[^/]+\/src\/.+\.tsx?$|^tools\/(setup|launcher|infra)\/.+\.(ts|mjs)$/.test(file) &&
    !/^(apps\/e2e|libs\/testing)\/|\.(spec|fixture)\.tsx?$/.test(file),
);

const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0];

test('everything that npm start compiles and runs is installed without the packages of tests', () => {
  const isPackage = (specifier: string): boolean =>
    !/^([.#]|node:|@holdfast\/)/.test(specifier) && !builtinModules.includes(specifier);
  const missing = sources.flatMap((file) =>
    importsOf(file)
      .filter(
        (specifier) => isPackage(specifier) && packages[`node_modules/${packageOf(specifier)}`]?.dev !== undefined,
      )
      .map((specifier) => `${file} imports ${specifier}, which package.json has in devDependencies`),
  );
  expect(sources.length).toBeGreaterThan(1000);
  expect(missing).toEqual([]);
});

test('no optional package needs a newer Node.js than the one that installs it, since npm would leave it out', () => {
  const minimum = 20;
  const leftOut = Object.entries(packages).filter(
    ([, { optional, engines, os }]) =>
      optional && !os && (engines?.node?.match(/\d+/g) ?? []).length > 0 && lowest(engines!.node!) > minimum,
  );
  expect(leftOut.map(([path]) => path)).toEqual([]);
});

/** The lowest major version of a range such as `^20.19.0 || >=22.12.0`. */
function lowest(range: string): number {
  return Math.min(...range.split('||').map((part) => Number(/\d+/.exec(part)?.[0] ?? 0)));
}
