// Builds all images twice, without a cache the second time, and compares their digests; measures what they add to the
// base; starts the stack of docker/compose.yaml from them; and uses it as an app and a customer would.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serviceNames } from '@holdfast/contracts';
import { print } from '../infra/console.ts';
import { readImage, type Image } from './image-layout.ts';
import { output, runProgram } from './program.ts';
import { tryStack } from './try-stack.ts';

const maxMegabytes = 150;
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    'keep-running': { type: 'boolean', default: false },
  },
});
const images = [...serviceNames, 'cli'];
const env = {
  REVISION: output('git', ['rev-parse', 'HEAD']).trim(),
  SOURCE_DATE_EPOCH: output('git', ['log', '-1', '--format=%ct']).trim(),
};
const work = mkdtempSync(join(tmpdir(), 'holdfast-images-'));

try {
  if (options.built) print('Built nothing: --built uses the images that exist.');
  else checkBuilds();
  await tryStack(images, options['keep-running'], work);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function checkBuilds(): void {
  const first = build('first', []);
  checkSize(first);
  checkSettings(first);
  if (options.quick) print('Skipped the second build: --quick.');
  else checkDigests(first, build('second', ['--no-cache']));
  runProgram('docker', ['buildx', 'bake', 'image', 'sbom', '--progress=quiet'], env);
  print('Wrote the components of the images to dist/images/sbom.cdx.json.');
}

function build(name: string, further: string[]): Map<string, Image> {
  const began = Date.now();
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  // Files of the project have a fixed time; rewriting sets that of the folders that the builder creates.
  const outputs = images.map(
    (image) => `--set=${image}.output=type=oci,tar=true,dest=${join(folder, image)}.tar,rewrite-timestamp=true`,
  );
  runProgram('docker', ['buildx', 'bake', 'image', '--progress=quiet', ...further, ...outputs], env);
  print(`Built ${images.length} images in ${Math.round((Date.now() - began) / 1000)} s.`);
  return new Map(
    images.map((image) => {
      const layout = join(folder, image);
      mkdirSync(layout);
      runProgram('tar', ['-xf', `${layout}.tar`, '-C', layout]);
      return [image, readImage(layout)];
    }),
  );
}

function checkSize(built: Map<string, Image>): void {
  const layers = new Map(
    [...built.values()].flatMap((image) => image.layers).map((layer) => [layer.digest, layer.bytes]),
  );
  for (const [name, image] of built) {
    const own = image.layers.filter(
      ({ digest }) => ![...built.values()].every((other) => other.layers.some((layer) => layer.digest === digest)),
    );
    print(`${name.padEnd(10)} ${image.digest}  ${megabytes(own)} MB of its own`);
  }
  const total = [...layers.values()].reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  print(`All images together add ${total.toFixed(1)} MB to the base; the limit is ${maxMegabytes} MB.`);
  if (total > maxMegabytes)
    throw new Error('The images are too large. Look for a package that is needed at build time only.');
}

function checkSettings(built: Map<string, Image>): void {
  for (const [name, { user, labels }] of built) {
    if (user !== '1000:1000') throw new Error(`The image ${name} runs as ${user} instead of 1000:1000.`);
    if (labels['org.opencontainers.image.revision'] !== env.REVISION)
      throw new Error(`The image ${name} does not name the commit that it is built from.`);
  }
}

function checkDigests(first: Map<string, Image>, second: Map<string, Image>): void {
  const different = images.filter((image) => first.get(image)?.digest !== second.get(image)?.digest);
  if (different.length > 0) throw new Error(`A second build has other digests: ${different.join(', ')}.`);
  print('A second build without a cache has the same digests.');
}

function megabytes(layers: { bytes: number }[]): string {
  return (layers.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1);
}
