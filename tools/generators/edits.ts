import type { Tree } from '@nx/devkit';

/** `get-offer` → `GetOffer` */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

/** `get-offer` → `getOffer` */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal[0]!.toLowerCase() + pascal.slice(1);
}

export function textOf(tree: Tree, path: string): string {
  const text = tree.read(path, 'utf8');
  if (text === null) throw new Error(`${path} does not exist; check the options of the generator.`);
  return text;
}

/** @throws when the edit changes nothing: the file has another shape than the generator expects */
export function edit(tree: Tree, path: string, change: (text: string) => string): void {
  const text = textOf(tree, path);
  const changed = change(text);
  if (changed === text)
    throw new Error(`${path} has another shape than expected; edit it by hand or mend the generator.`);
  tree.write(path, changed);
}

/** Adds a named import, to the import of that module when there is one. Prettier sorts imports afterwards. */
export function withImport(text: string, name: string, from: string): string {
  const existing = new RegExp(`import \\{ ([^}]*) \\} from '${from.replaceAll('.', '\\.')}';`);
  if (existing.test(text))
    return text.replace(existing, (_, names: string) => `import { ${names.trim()}, ${name} } from '${from}';`);
  return `import { ${name} } from '${from}';\n${text}`;
}

/** Adds an item to the array literal that follows `opening`. */
export function withItem(text: string, opening: string, item: string): string {
  const start = text.indexOf(opening);
  const end = text.indexOf(']', start);
  if (start < 0 || end < 0) return text;
  const before = text.slice(0, end).trimEnd();
  return `${before}${/[[,]$/.test(before) ? '' : ','} ${item}${text.slice(end)}`;
}

/** Adds text before the first occurrence of `anchor`. */
export function withBefore(text: string, anchor: string, added: string): string {
  const at = text.indexOf(anchor);
  return at < 0 ? text : text.slice(0, at) + added + text.slice(at);
}
