// Collects the files of all images after the build: node docker/collect.mjs FOLDER
//   FOLDER/shared     what every image has: libraries, and the package.json of every workspace
//   FOLDER/SERVICE    what one image has on top: the service's own dist, and `service`, a link to it
//   FOLDER/manifests  what `npm ci` compares: the lock file and every workspace's package.json
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [out] = process.argv.slice(2);
if (!out) throw new Error('Name the folder that receives the files: node docker/collect.mjs FOLDER');

const projects = ['apps', 'libs', 'examples'].flatMap((folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(`${path}/package.json`)),
);
const images = projects.filter((path) => existsSync(`${path}/dist/main.js`));
const migrations = images.filter((path) => existsSync(`${path}/dist/migrate.js`));

for (const file of ['package.json', 'package-lock.json', '.npmrc']) copy(file, 'manifests');
for (const path of projects) {
  copy(`${path}/package.json`, 'manifests');
  if (!path.startsWith('libs/') || path === 'libs/testing') continue;
  copy(`${path}/package.json`, 'shared');
  copyDist(path, 'shared');
}
for (const path of images) {
  const service = path.slice('apps/'.length);
  add(path, service);
  // The gateway serves these pages to browsers.
  if (service === 'gateway') for (const served of ['apps/pages', 'apps/hub']) add(served, service);
  // The setup job runs the migrations of all services.
  if (service === 'cli') for (const migrated of migrations) add(migrated, service);
  symlinkSync(`${path}/dist`, join(out, service, 'service'));
}

function add(path, image) {
  copy(`${path}/package.json`, image);
  copyDist(path, image);
}

function copyDist(path, to) {
  const unused = /(\.d\.ts|\.map|\.tsbuildinfo|\.fixture\.js)$/;
  cpSync(`${path}/dist`, join(out, to, path, 'dist'), { recursive: true, filter: (file) => !unused.test(file) });
}

function copy(file, to) {
  const target = join(out, to, file);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
}
