// Makes the archive that developers install: `node libs/sdk/pack.mjs [FOLDER]`, after a build. It prints its path.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const sdk = import.meta.dirname;
const target = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));

for (const file of globSync('**/*.{js,d.ts}', { cwd: join(sdk, 'dist') })) copy('dist', file, join('dist', file));
// Of the client it has the types alone, so that nothing but what is published has to be installed.
for (const file of ['types.d.ts', 'schema.d.ts']) copy('../api-client/dist', file, join('dist', 'api-client', file));
for (const file of ['README.md', '../../LICENSE']) cpSync(join(sdk, file), join(folder, file.replace(/.*\//, '')));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);

mkdirSync(target, { recursive: true });
const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: folder, encoding: 'utf8' });
console.log(join(target, name.trim()));

/**
 * @param {string} from
 * @param {string} file
 * @param {string} to
 */
function copy(from, file, to) {
  const types = relative(dirname(to), 'dist/api-client/types.js');
  const text = readFileSync(join(sdk, from, file), 'utf8')
    .replaceAll("'@holdfast/api-client'", `'${types.startsWith('.') ? types : `./${types}`}'`)
    .replace(/^\/\/# sourceMappingURL=.*$/m, '');
  mkdirSync(dirname(join(folder, to)), { recursive: true });
  writeFileSync(join(folder, to), text);
}

function manifest() {
  const { name, version, description, type, sideEffects, exports, engines, dependencies } = JSON.parse(
    readFileSync(join(sdk, 'package.json'), 'utf8'),
  );
  delete dependencies['@holdfast/api-client'];
  for (const entry of Object.values(exports)) delete entry['@holdfast/source'];
  const license = 'SEE LICENSE IN LICENSE';
  return { name, version, description, license, type, sideEffects, exports, engines, dependencies };
}
