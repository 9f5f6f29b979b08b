import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Tree } from '@nx/devkit';
import ts from 'typescript';
import { root } from '../setup/paths.mjs';

/** Options of every project: sources of other projects are read instead of their builds. */
function optionsOfProjects(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => readFileSync(path, 'utf8')) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Without declarations, which only builds need.
  return { ...options, noEmit: true, composite: false, declaration: false, sourceMap: false };
}

const options = optionsOfProjects();
/** Sources of the repository, which several programs share. */
const sources = new Map<string, ts.SourceFile | undefined>();

/** Type checks files of a tree against the sources of the repository, which stay as they are. */
export function typeErrors(tree: Tree, files: string[]): string[] {
  const written = new Map(tree.listChanges().map(({ path, content }) => [join(root, path), content?.toString() ?? '']));
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => written.has(path) || disk.fileExists(path),
    readFile: (path) => written.get(path) ?? disk.readFile(path),
    // Folders of a new app do not exist.
    directoryExists: (path) => existsSync(path) || [...written.keys()].some((file) => file.startsWith(`${path}/`)),
    getSourceFile: (path, version) => {
      const text = written.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, version, true);
      if (!sources.has(path)) sources.set(path, disk.getSourceFile(path, version));
      return sources.get(path);
    },
  };
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    options,
    host,
  );
  return files.flatMap((file) => {
    const source = program.getSourceFile(join(root, file))!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(lineOf);
  });
}

function lineOf({ file, start = 0, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  return file ? `${relative(root, file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1} ${text}` : text;
}
