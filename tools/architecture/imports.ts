import { posix } from 'node:path';
import ts from 'typescript';
import { textOf } from './files.ts';

/**
 * What a source file imports, in any form that the language has: `import`, `export … from`, `import()`, types,
 * `require`.
 */
export function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(textOf(file), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

/** Where a relative import leads, as a path below the clone; undefined for a package. */
export function targetOf(file: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;
}

/** Lines with the type `any`, found by the compiler's own parser, so that a comment or a word in a text is none. */
export function anyLines(file: string): number[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword)
      lines.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

/** All identifiers of a source file, private members included. */
export function identifiersOf(file: string): Set<string> {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}
