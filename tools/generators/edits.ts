import type { Tree } from '@nx/devkit';
import ts from 'typescript';

/** `get-offer` → `GetOffer` */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

/** `get-offer` → `getOffer` */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal[0]!.toLowerCase() + pascal.slice(1);
}

/** `list-drafts` → `List drafts` */
export function sentence(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** A string literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function textOf(tree: Tree, path: string): string {
  const text = tree.read(path, 'utf8');
  if (text === null) throw new Error(`${path} does not exist; check the options of the generator.`);
  return text;
}

/** @throws an error when the edit changes nothing: the file has another shape than the generator expects */
export function edit(tree: Tree, path: string, change: (text: string) => string): void {
  const text = textOf(tree, path);
  const changed = change(text);
  if (changed === text)
    throw new Error(`${path} has another shape than expected; edit it by hand or correct the generator.`);
  tree.write(path, changed);
}

/** Adds text before the first occurrence of `anchor`. */
export function withBefore(text: string, anchor: string, added: string): string {
  const at = text.indexOf(anchor);
  return at < 0 ? text : text.slice(0, at) + added + text.slice(at);
}

function parsed(text: string): ts.SourceFile {
  return ts.createSourceFile('edited.ts', text, ts.ScriptTarget.Latest, true);
}

function inserted(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** Adds a named import unless the file has the name. Prettier sorts imports afterwards. */
export function withImport(text: string, name: string, from: string): string {
  const source = parsed(text);
  if (namesOf(source).has(name)) return text;
  for (const { importClause, moduleSpecifier } of source.statements.filter(ts.isImportDeclaration)) {
    const bindings = importClause?.phaseModifier === undefined ? importClause?.namedBindings : undefined;
    if (bindings && ts.isNamedImports(bindings) && (moduleSpecifier as ts.StringLiteral).text === from)
      return withListItem(text, bindings.elements, name);
  }
  return `import { ${name} } from '${from}';\n${text}`;
}

/** Adds `import * as name` unless the file has the name. */
export function withModuleImport(text: string, name: string, from: string): string {
  return namesOf(parsed(text)).has(name) ? text : `import * as ${name} from '${from}';\n${text}`;
}

/** Names that the file imports, or declares outside of functions and classes. */
function namesOf(source: ts.SourceFile): Set<string> {
  const names = source.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings;
      if (bindings) return ts.isNamedImports(bindings) ? bindings.elements.map((e) => e.name.text) : bindings.name.text;
    }
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    return ts.isFunctionDeclaration(statement) ? (statement.name?.text ?? []) : [];
  });
  return new Set(names);
}

/** The variables that a file declares outside of functions, with their statements. */
function variablesOf(source: ts.SourceFile): { statement: ts.Statement; name: string; initializer?: ts.Expression }[] {
  return source.statements.filter(ts.isVariableStatement).flatMap((statement) =>
    statement.declarationList.declarations.map(({ name, initializer }) => ({
      statement,
      name: name.getText(),
      ...(initializer && { initializer }),
    })),
  );
}

export function declares(text: string, name: string): boolean {
  return namesOf(parsed(text)).has(name);
}

/** The items of an array, an object, a set or a call. */
type Items = ts.NodeArray<ts.Node>;

/**
 * The items of what a variable is declared with, or of a member of it: of an array, of an object, of the array in
 * `new Set([…])`, or the arguments of a call.
 */
function itemsOf(text: string, variable: string, ...members: string[]): Items | undefined {
  const found = variablesOf(parsed(text)).find(({ name }) => name === variable)?.initializer;
  return members.reduce<Items | undefined>(
    (items, member) => valueOf(items, member),
    found && itemsOfExpression(found),
  );
}

function itemsOfExpression(expression: ts.Expression): Items | undefined {
  if (ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression))
    return itemsOfExpression(expression.expression);
  if (ts.isArrayLiteralExpression(expression)) return expression.elements;
  if (ts.isObjectLiteralExpression(expression)) return expression.properties;
  if (ts.isCallExpression(expression)) return expression.arguments;
  const [first] = ts.isNewExpression(expression) ? (expression.arguments ?? []) : [];
  return first && itemsOfExpression(first);
}

function keyOf(item: ts.Node): string | undefined {
  const name = ts.isObjectLiteralElementLike(item) ? item.name : undefined;
  return name && (ts.isStringLiteral(name) || ts.isIdentifier(name)) ? name.text : undefined;
}

function valueOf(items: Items | undefined, key: string): Items | undefined {
  const property = items?.find((item) => keyOf(item) === key);
  return property && ts.isPropertyAssignment(property) ? itemsOfExpression(property.initializer) : undefined;
}

/** The keys of an object that a variable is declared with, or of a member of it. */
export function keysIn(text: string, variable: string, ...members: string[]): string[] {
  return (itemsOf(text, variable, ...members) ?? []).flatMap((item) => keyOf(item) ?? []);
}

/** The strings of an array or set that a variable is declared with. */
export function stringsIn(text: string, variable: string): string[] {
  return (itemsOf(text, variable) ?? []).flatMap((item) => (ts.isStringLiteral(item) ? item.text : []));
}

function withListItem(text: string, items: Items, item: string): string {
  const last = items.at(-1);
  return last ? inserted(text, last.getEnd(), `, ${item}`) : inserted(text, items.pos, item);
}

/** Adds an item to the array, object, set or call that a variable is declared with, or to a member of it. */
export function withItem(text: string, item: string, variable: string, ...members: string[]): string {
  const items = itemsOf(text, variable, ...members);
  return items ? withListItem(text, items, item) : text;
}

/** Adds a property to an object whose keys are sorted. */
export function withProperty(text: string, key: string, value: string, variable: string): string {
  const items = itemsOf(text, variable);
  const next = items?.find((item) => (keyOf(item) ?? '') > key);
  if (next) return inserted(text, next.getStart(), `${key}: ${value},\n  `);
  return items ? withListItem(text, items, `${key}: ${value}`) : text;
}

/** Adds a statement before the first exported list `…Endpoints`, and its name to that list. */
export function withEndpoint(text: string, name: string, statement: string): string {
  const list = variablesOf(parsed(text)).find(
    (variable) => variable.name.endsWith('Endpoints') && variable.statement.getText().startsWith('export const'),
  );
  if (!list?.initializer || !ts.isArrayLiteralExpression(list.initializer)) return text;
  const listed = withListItem(text, list.initializer.elements, name);
  return inserted(listed, list.statement.getStart(undefined, true), `${statement}\n\n`);
}

/** Adds an item to a list of a class's `@Module`, which is created when there is none. */
export function withModuleItem(text: string, list: 'imports' | 'controllers' | 'providers', item: string): string {
  const decorated = parsed(text).statements.filter(ts.isClassDeclaration);
  const calls = decorated
    .flatMap((declared) => ts.getDecorators(declared) ?? [])
    .map(({ expression }) => expression)
    .filter(ts.isCallExpression);
  const options = calls.find(({ expression }) => expression.getText() === 'Module')?.arguments[0];
  const properties = options && itemsOfExpression(options);
  if (!properties) return text;
  const items = valueOf(properties, list);
  if (items?.some((existing) => existing.getText() === item)) return text;
  return items ? withListItem(text, items, item) : withListItem(text, properties, `${list}: [${item}]`);
}

/** The name of the class that a file exports. */
export function classOf(text: string): string | undefined {
  return parsed(text).statements.find(ts.isClassDeclaration)?.name?.text;
}
