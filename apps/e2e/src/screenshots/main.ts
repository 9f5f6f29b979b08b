// `npm run screenshots`: pictures of the running stack, in an organization of their own. Arguments: the base address of
// the stack, and the folder of the pictures.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { languages } from '@holdfast/contracts';
import { launch } from '../browser/chromium.fixture.ts';
import { root } from '../stack/stack.ts';
import { pictures } from './pictures.ts';
import { prepare } from './prepare.ts';

const [baseUrl, folder] = process.argv.slice(2) as [string, string];
const themes = ['light', 'dark'] as const;
const widths = { wide: { width: 1280, height: 860 }, narrow: { width: 360, height: 740 } };

/** A command of the operator, as `npm run holdfast`. */
function operator<Result>(...args: string[]): Result {
  const program = join(root, 'tools', 'holdfast.mjs');
  return JSON.parse(execFileSync(process.execPath, [program, ...args, '--json'], { encoding: 'utf8' })) as Result;
}

const browser = await launch();
let count = 0;
try {
  const prepared = await prepare(browser, baseUrl, operator);
  for (const locale of languages)
    for (const colorScheme of themes)
      for (const [name, viewport] of Object.entries(widths)) {
        const target = join(folder, `${locale}-${colorScheme}-${name}`);
        mkdirSync(target, { recursive: true });
        const options = { locale, colorScheme, viewport, reducedMotion: 'reduce' as const };
        for await (const picture of pictures(browser, prepared, options)) {
          await picture.page.screenshot({ path: join(target, `${picture.name}.png`), fullPage: true });
          count += 1;
        }
        process.stdout.write(`${target}\n`);
      }
} finally {
  await browser.close();
}
process.stdout.write(`${count} pictures\n`);
