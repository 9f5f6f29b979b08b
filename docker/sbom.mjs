// Writes the list of components of the installed packages (CycloneDX): node docker/sbom.mjs FOLDER FILE
// FOLDER has package.json, package-lock.json and node_modules. npm lists every workspace of the lock file, so what is
// not installed is left out. The same packages give the same file, byte by byte.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, file] = process.argv.slice(2);
if (!folder || !file) throw new Error('Name the folder and the file: node docker/sbom.mjs FOLDER FILE');

const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev'];
const sbom = JSON.parse(
  execFileSync('npm', ['sbom', ...options], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
const installed = (component) => {
  const path = component.properties?.find((property) => property.name === 'cdx:npm:package:path')?.value;
  return path !== undefined && /^(libs|node_modules)\//.test(path) && existsSync(join(folder, path));
};
const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);
sbom.components = sbom.components.filter(installed).sort(byRef);
const { version } = sbom.metadata.component;
sbom.metadata.component = { type: 'application', 'bom-ref': `holdfast@${version}`, name: 'holdfast', version };
const refs = new Set(sbom.components.map((component) => component['bom-ref']));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)).sort() }))
  .sort((a, b) => (a.ref < b.ref ? -1 : 1));
// npm writes the time and a random number.
delete sbom.metadata.timestamp;
delete sbom.serialNumber;
const digest = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
sbom.serialNumber = `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')}`;
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
