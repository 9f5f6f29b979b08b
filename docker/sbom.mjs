// Writes the list of components of the installed packages (CycloneDX): node docker/sbom.mjs FOLDER FILE
// FOLDER has package.json, package-lock.json and node_modules. npm lists every workspace of the lock file, so what is
// not installed is left out. The same packages give the same file, byte by byte.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, file] = process.argv.slice(2);
if (!folder || !file) throw new Error('Name the folder and the file: node docker/sbom.mjs FOLDER FILE');

if (!existsSync(join(folder, 'node_modules')))
  throw new Error(
    `${folder} has no node_modules, so nothing is installed that could be listed. Run npm ci there first.`,
  );
const installed = installedPackages(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages);
// Of the whole lock file: with --omit=dev, npm 11 also leaves out what both the services and development need.
const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const sbom = JSON.parse(
  execFileSync('npm', ['sbom', ...options], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);
sbom.components = sbom.components.filter((component) => installed.has(component['bom-ref'])).sort(byRef);
const listed = new Set(sbom.components.map((component) => component['bom-ref']));
const unlisted = [...installed].filter((ref) => !listed.has(ref));
if (listed.size === 0 || unlisted.length > 0)
  throw new Error(
    `npm sbom lists ${listed.size} installed packages and lacks ${unlisted.join(', ') || 'all'}. ` +
      'The list would be wrong, so none is written. Does the lock file belong to node_modules?',
  );

const { version } = sbom.metadata.component;
sbom.metadata.component = { type: 'application', 'bom-ref': `holdfast@${version}`, name: 'holdfast', version };
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => listed.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => listed.has(other)).sort() }))
  .sort((a, b) => (a.ref < b.ref ? -1 : 1));
// npm writes the time and a random number.
delete sbom.metadata.timestamp;
delete sbom.serialNumber;
const digest = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
sbom.serialNumber = `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')}`;
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);

/**
 * `name@version` of each package of the lock file whose folder exists. What npm writes about folders into its list
 * differs between versions of npm.
 */
function installedPackages(packages) {
  const inImage = Object.entries(packages).filter(
    ([path, { link }]) => /^(libs|node_modules)\//.test(path) && !link && existsSync(join(folder, path)),
  );
  return new Set(
    inImage.map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  );
}
