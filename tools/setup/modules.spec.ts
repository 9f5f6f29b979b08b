import { expect, test } from '@jest/globals';
import { hasDevelopment, isInstalled, runtimeOf } from './modules.mjs';

const wanted = {
  '': { version: '0.1.0' },
  'libs/platform': { version: '0.1.0' },
  'node_modules/@holdfast/platform': { resolved: 'libs/platform', link: true },
  'node_modules/pg': { version: '8.0.0', integrity: 'sha512-a' },
  'node_modules/pg-other': { version: '8.0.0', integrity: 'sha512-b', optional: true, os: ['other'] },
  'node_modules/pg-wasm': { version: '8.0.0', integrity: 'sha512-w', optional: true, cpu: ['wasm32'] },
  'node_modules/pg-wasm/node_modules/wasi': { version: '1.0.0', integrity: 'sha512-i', optional: true },
  'node_modules/pg-musl': { version: '8.0.0', integrity: 'sha512-m', optional: true, libc: ['musl'] },
};
const installed = Object.fromEntries(Object.entries(wanted).filter(([path]) => !/pg-/.test(path)));

test('packages are installed when only binaries of other platforms are missing', () => {
  expect(isInstalled(wanted, installed)).toBe(true);
});

test('packages are not installed when an optional one of this machine is missing', () => {
  const ofThisMachine = { os: [process.platform], cpu: [process.arch] };
  for (const entry of [{}, ofThisMachine]) {
    const optional = { version: '1.0.0', integrity: 'sha512-o', optional: true, ...entry };
    expect(isInstalled({ ...wanted, 'node_modules/vite': optional }, installed)).toBe(false);
  }
});

test('packages are not installed when one was changed, is missing or is new', () => {
  expect(isInstalled(wanted, { ...installed, 'node_modules/pg': { version: '7.0.0', integrity: 'sha512-c' } })).toBe(
    false,
  );
  expect(isInstalled(wanted, { 'node_modules/pg': installed['node_modules/pg']! })).toBe(false);
  expect(isInstalled({ ...wanted, 'node_modules/zod': { version: '4.0.0', integrity: 'sha512-d' } }, installed)).toBe(
    false,
  );
});

test('running needs no package of tests, and their presence is noticed, so that they are not deleted', () => {
  const all = { ...wanted, 'node_modules/jest': { version: '30.0.0', integrity: 'sha512-j', dev: true } };
  expect(isInstalled(all, installed)).toBe(false);
  expect(isInstalled(runtimeOf(all), installed)).toBe(true);
  expect(isInstalled(runtimeOf(all), all)).toBe(true);
  expect([hasDevelopment(all), hasDevelopment(installed)]).toEqual([true, false]);
});
