import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../setup/paths.mjs';
import { filesBelow, textOf } from './files.ts';

export interface Project {
  name: string;
  folder: string;
  layers: string[];
  targets: string[];
  /** Names of workspace projects: from package.json, development included or not, and from tsconfig references. */
  dependencies: string[];
  devDependencies: string[];
  references: { from: string; to: string }[];
  /** What others may import of it: `.` and what else its `exports` name. */
  doors: string[];
}

interface Manifest {
  name?: string;
  tags?: string[];
  targets?: object;
  nx?: { name: string; tags?: string[]; targets?: object };
  dependencies?: object;
  devDependencies?: object;
  exports?: object;
}

const scope = '@holdfast/';

/** Every project of the workspace, as the files on disk declare it. */
export function readProjects(): Project[] {
  const files = filesBelow();
  const manifests = files.filter(
    (f) =>
      (/^(apps|libs|examples)\/[^/]+\/package\.json$/.test(f) && !files.includes(projectFileBeside(f))) ||
      /^(?:[^/]+\/)+project\.json$/.test(f),
  );
  return manifests.map((file) => {
    // The package.json of an example that is copied out of the clone says nothing of the workspace.
    const packaged = file.endsWith('/project.json') && file.replace(/project\.json$/, 'package.json');
    const { nx, ...manifest } = {
      ...(packaged && files.includes(packaged) && (JSON.parse(textOf(packaged)) as Manifest)),
      ...(JSON.parse(textOf(file)) as Manifest),
    };
    const { name, tags = [], targets = {} } = { ...manifest, ...nx };
    const folder = dirname(file);
    return {
      name: name ?? '',
      folder,
      layers: tags.filter((tag) => tag.startsWith('layer:')),
      targets: Object.keys(targets),
      dependencies: ours(manifest.dependencies),
      devDependencies: ours(manifest.devDependencies),
      references: referencesOf(folder),
      doors: Object.keys(manifest.exports ?? {}),
    };
  });
}

function projectFileBeside(file: string): string {
  return posix.join(posix.dirname(file), 'project.json');
}

function ours(dependencies: object = {}): string[] {
  return Object.keys(dependencies).flatMap((name) => (name.startsWith(scope) ? [name.slice(scope.length)] : []));
}

function referencesOf(folder: string): Project['references'] {
  return ['tsconfig.lib.json', 'tsconfig.spec.json', 'tsconfig.json']
    .map((name) => posix.join(folder, name))
    .filter((file) => existsSync(join(root, file)))
    .flatMap((from) => {
      const { references = [] } = JSON.parse(textOf(from)) as { references?: { path: string }[] };
      return references.map(({ path }) => ({ from, to: posix.join(folder, path) }));
    });
}

/** The project in whose folder a file or folder lies. */
export function projectOf(path: string, projects: Project[]): Project | undefined {
  return projects.find(({ folder }) => path === folder || path.startsWith(`${folder}/`));
}
