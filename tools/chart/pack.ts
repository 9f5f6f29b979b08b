// The chart as an archive, with its provenance (helm.sh/docs/topics/provenance), and as an OCI artifact in an image
// layout (helm.sh/docs/topics/registries, OCI Image Layout Specification). Nothing of it needs a network.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createCleartextMessage, decryptKey, readPrivateKey, sign } from 'openpgp';
import { parse } from 'yaml';
import { chart, helm } from './helm.ts';

interface PackOptions {
  /** An armored OpenPGP private key. Helm verifies signatures of RSA keys only. */
  signingKey?: string;
  passphrase?: string;
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.cncf.helm.config.v1+json',
  archive: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  provenance: 'application/vnd.cncf.helm.chart.provenance.v1.prov',
};

/** @returns what was written */
export async function packChart(out: string, options: PackOptions = {}): Promise<{ files: string[] }> {
  mkdirSync(out, { recursive: true });
  const printed = await helm('package', chart, '--destination', out);
  const archive = printed.trim().replace(/^.*: /, '');
  const metadata = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
  const provenance = options.signingKey === undefined ? undefined : await provenanceOf(archive, metadata, options);
  const files = [archive];
  rmSync(`${archive}.prov`, { force: true });
  if (provenance !== undefined) {
    writeFileSync(`${archive}.prov`, provenance);
    files.push(`${archive}.prov`);
  }
  const layout = join(out, 'oci');
  writeLayout(layout, archive, metadata, provenance);
  return { files: [...files, layout] };
}

async function provenanceOf(archive: string, metadata: string, options: PackOptions): Promise<string> {
  const key = await readPrivateKey({ armoredKey: options.signingKey! });
  const signingKeys =
    options.passphrase === undefined ? key : await decryptKey({ privateKey: key, passphrase: options.passphrase });
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
  const text = `${metadata.trim()}\n\n...\nfiles:\n  ${basename(archive)}: sha256:${digest}\n`;
  return sign({ message: await createCleartextMessage({ text }), signingKeys });
}

function writeLayout(layout: string, archive: string, metadata: string, provenance: string | undefined): void {
  rmSync(layout, { recursive: true, force: true });
  const blobs = join(layout, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const add = (mediaType: string, content: Buffer): Descriptor => {
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(blobs, digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: content.length };
  };
  const { name, version, description } = parse(metadata) as Record<'name' | 'version' | 'description', string>;
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: add(mediaTypes.config, Buffer.from(JSON.stringify(parse(metadata)))),
    layers: [
      add(mediaTypes.archive, readFileSync(archive)),
      ...(provenance === undefined ? [] : [add(mediaTypes.provenance, Buffer.from(provenance))]),
    ],
    annotations: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.description': description,
    },
  };
  const described = add(mediaTypes.manifest, Buffer.from(JSON.stringify(manifest)));
  const annotations = { 'org.opencontainers.image.ref.name': version };
  const index = { schemaVersion: 2, manifests: [{ ...described, annotations }] };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}
