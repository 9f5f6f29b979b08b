import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const descriptorSchema = z.object({ digest: z.string(), size: z.number() });
const indexSchema = z.object({ manifests: z.array(descriptorSchema) });
const manifestSchema = z.object({ config: descriptorSchema, layers: z.array(descriptorSchema) });
const configSchema = z.object({
  config: z.object({ User: z.string(), Labels: z.record(z.string(), z.string()) }),
  history: z.array(z.object({ created_by: z.string().optional(), empty_layer: z.boolean().optional() })),
});

export interface Image {
  digest: string;
  user: string;
  labels: Record<string, string>;
  /** The layers above the base, with their bytes when unpacked. */
  layers: { digest: string; bytes: number }[];
}

/** Reads an unpacked OCI layout with one image of one platform. */
export function readImage(folder: string): Image {
  const blob = (digest: string): Buffer => readFileSync(join(folder, 'blobs', ...digest.split(':')));
  const json = (digest: string): unknown => JSON.parse(blob(digest).toString('utf8'));
  const index = indexSchema.parse(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')));
  const digest = index.manifests[0]?.digest;
  if (digest === undefined) throw new Error(`${folder} has no image.`);
  const manifest = manifestSchema.parse(json(digest));
  const { config, history } = configSchema.parse(json(manifest.config.digest));
  const steps = history.filter((step) => !step.empty_layer);
  const first = steps.findIndex((step) => step.created_by?.includes('/out/files'));
  if (first < 0) throw new Error('The image has no layer of docker/service.Dockerfile.');
  return {
    digest,
    user: config.User,
    labels: config.Labels,
    layers: manifest.layers
      .slice(first)
      .map((layer) => ({ digest: layer.digest, bytes: gunzipSync(blob(layer.digest)).length })),
  };
}
