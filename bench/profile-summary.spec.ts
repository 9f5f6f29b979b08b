import { expect, test } from '@jest/globals';
import { packageOf, summarize } from './profile-summary.ts';

test('finds the package or project of a file', () => {
  expect(packageOf('file:///x/node_modules/@nestjs/core/router.js', 'f')).toBe('@nestjs/core');
  expect(packageOf('file:///x/node_modules/koa/node_modules/koa-compose/index.js', 'f')).toBe('koa-compose');
  expect(packageOf('node:internal/streams/readable', 'f')).toBe('node:internal/streams');
  expect(packageOf('node:events', 'f')).toBe('node:events');
  expect(packageOf('file:///x/apps/gateway/dist/http.js', 'f')).toBe('apps/gateway');
  expect(packageOf('', '(garbage collector)')).toBe('(garbage collector)');
  expect(packageOf('', 'writev')).toBe('(native)');
});

test('has shares of the time in which the process was busy', () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 4 });
  const nodes = [
    { id: 1, callFrame: frame('(idle)', '') },
    { id: 2, callFrame: frame('parse', 'file:///x/node_modules/zod/parse.js') },
    { id: 3, callFrame: frame('', 'file:///x/apps/auth/dist/main.js') },
  ];
  const { packages, functions, busy } = summarize({ nodes, samples: [1, 2, 2, 3], timeDeltas: [60, 10, 20, 10] });
  expect(busy).toBe(0.4);
  expect(packages).toEqual([
    { name: 'zod', share: 0.75 },
    { name: 'apps/auth', share: 0.25 },
  ]);
  expect(functions[1]!.name).toBe('(anonymous)  apps/auth main.js:5');
});
