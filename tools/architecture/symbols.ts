import ts from 'typescript';
import { textOf } from './files.ts';

/**
 * Names that a source file declares outside of functions: `name`, and `Class.member` or `object.member` of what it
 * declares. Exports of other files' names count as well.
 */
export function symbolsOf(file: string, text = textOf(file)): Set<string> {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return new Set(statements.flatMap(namesOf));
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) ? withMembers(name, objectIn(initializer)?.properties ?? []) : [],
    );
  if (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement) || ts.isEnumDeclaration(statement))
    return statement.name ? withMembers(statement.name, [...statement.members]) : [];
  if (ts.isFunctionDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
    return statement.name ? [statement.name.text] : [];
  const exported = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
  return exported && ts.isNamedExports(exported) ? exported.elements.map(({ name }) => name.text) : [];
}

function withMembers(name: ts.Identifier, members: readonly { name?: ts.Node }[]): string[] {
  return [name.text, ...members.flatMap((member) => (member.name ? [`${name.text}.${textOfName(member.name)}`] : []))];
}

const textOfName = (name: ts.Node): string => name.getText().replaceAll(/^'|'$/g, '');

/** The object of `{…} as const satisfies …`. */
function objectIn(expression: ts.Expression | undefined): ts.ObjectLiteralExpression | undefined {
  if (!expression) return undefined;
  if (ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression)) return objectIn(expression.expression);
  return ts.isObjectLiteralExpression(expression) ? expression : undefined;
}
