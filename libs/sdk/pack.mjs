// Makes the archive that developers install, and prints its path: `npm run sdk:pack -- [FOLDER]`, which builds before.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const sdk = import.meta.dirname;
const target = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));

for (const file of readdirSync(join(sdk, 'dist'), { recursive: true, encoding: 'utf8' }))
  if (/\.(js|d\.ts)$/.test(file)) copy('dist', file, join('dist', file));
// Of the client it has the types alone, so that nothing but what is published has to be installed.
for (const file of ['types.d.ts', 'schema.d.ts']) copy('../api-client/dist', file, join('dist', 'api-client', file));
for (const file of ['README.md', '../../LICENSE']) cpSync(join(sdk, file), join(folder, file.replace(/.*\//, '')));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);

mkdirSync(target, { recursive: true });
const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: folder, encoding: 'utf8' });
rmSync(folder, { recursive: true });
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
