import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceName } from '@holdfast/contracts';
import type { Stack } from '../stack/stack.ts';

/**
 * A build of one service that is this version until the process gets SIGUSR2, and has a defect from then on: what runs,
 * and what `/metrics` shows, is the service itself. `defect` is the source of a module's statements.
 * @returns the folder for `control('start', …, { build })`
 */
export function defectiveBuild(stack: Stack, service: ServiceName, defect: string): string {
  const folder = join(stack.home, `defective-${service}`);
  const dist = join(folder, 'apps', service, 'dist');
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const main = pathToFileURL(join(stack.launcher.build, 'apps', service, 'dist', 'main.js')).href;
  writeFileSync(join(dist, 'main.js'), `process.once('SIGUSR2', () => {\n${defect}\n});\nawait import('${main}');\n`);
  return folder;
}

/** Lets the defect of a replica that runs a defective build begin. */
export function beginDefect(stack: Stack, service: ServiceName, replica: number): void {
  const found = stack.demo.services.find((one) => one.name === service && one.replica === replica);
  process.kill(found!.pid!, 'SIGUSR2');
}
