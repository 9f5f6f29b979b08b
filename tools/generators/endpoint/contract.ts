import type { Tree } from '@nx/devkit';
import {
  camelCase,
  edit,
  keysIn,
  quoted,
  sentence,
  textOf,
  withBefore,
  withImport,
  withItem,
  withModuleImport,
} from '../edits.ts';
import { contractFile, contractListFile, files, hasAction, parametersOf, type EndpointOptions } from './options.ts';

/** Where the schema of a client ID as a parameter is. */
const appsAdmin = 'libs/contracts/src/directory/apps-admin.ts';

/** Writes the contract, and registers its module when it is new. */
export function addContract(tree: Tree, options: EndpointOptions): void {
  const { service, area } = options;
  const file = contractFile(options);
  if (!tree.exists(file)) tree.write(file, `import { z } from 'zod';\n`);
  edit(tree, file, (text) => `${withImportsOf(options, text)}\n${contractOf(options)}`);

  const exported = `export * from './${service}/${area}.js';\n`;
  if (!textOf(tree, files.index).includes(exported))
    edit(tree, files.index, (text) => withBefore(text, `export * from './${service}/contracts.js';`, exported));
  const list = contractListFile(service);
  if (!textOf(tree, list).includes(`from './${area}.js'`))
    edit(tree, list, (text) => {
      const module = camelCase(area);
      return withItem(withModuleImport(text, module, `./${area}.js`), module, `${camelCase(service)}Contracts`);
    });
}

const kindOf = ({ method }: EndpointOptions) => (method === 'GET' ? 'query' : 'idempotentCommand');

function contractOf(options: EndpointOptions): string {
  const { name, service } = options;
  const members = parametersOf(options).map((parameter) => `${parameter}: ${schemaOf(parameter)}`);
  return `export const ${camelCase(name)} = ${kindOf(options)}({
  service: '${service}',
  name: '${name}',
  callers: ['gateway'],
  request: z.strictObject({ ${members.join(', ')} }),
  reply: z.strictObject({}),
  errors: [],
});
`;
}

/** Parameters of the path are described here: http() takes their schemas from the contract. */
function schemaOf(parameter: string): string {
  if (parameter === 'clientId') return 'clientIdParameter';
  const words = parameter.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `uuid.describe(${quoted(words === 'id' ? 'Its id' : `The ${words}`)})`;
}

function withImportsOf(options: EndpointOptions, text: string): string {
  const parameters = parametersOf(options);
  const imports: [name: string, from: string][] = [
    ['z', 'zod'],
    [kindOf(options), '../contract.js'],
  ];
  if (parameters.some((parameter) => parameter !== 'clientId')) imports.push(['uuid', '../fields.js']);
  if (parameters.includes('clientId') && contractFile(options) !== appsAdmin)
    imports.push([
      'clientIdParameter',
      options.service === 'directory' ? './apps-admin.js' : '../directory/apps-admin.js',
    ]);
  return imports.reduce((code, [name, from]) => withImport(code, name, from), text);
}

/** Lists a command with what it prepares, or with why it prepares nothing (ADR 0074). */
export function addToPrepared(tree: Tree, { name, service, method, prepares, preparesNothing }: EndpointOptions): void {
  if (method === 'GET') return;
  edit(tree, files.prepared, (text) => {
    const command = quoted(`${service}.${name}`);
    if (prepares !== undefined) return withItem(text, command, 'preparedKinds', prepares, 'commands');
    const reason = keysIn(text, 'preparesNothing').find((key) => key.startsWith(preparesNothing!))!;
    return withItem(text, command, 'preparesNothing', reason);
  });
}

/** A read is kept for months and a change for years (`retentionOf`). */
export function addAction(tree: Tree, { action, actionDescription, method, name }: EndpointOptions): void {
  if (hasAction(tree, action)) return;
  edit(tree, files.actions, (text) => {
    const added = `  '${action}': ${quoted(actionDescription ?? sentence(name))},\n`;
    const named = withBefore(text, "  'request.denied':", added);
    return method === 'GET' ? withItem(named, quoted(action), 'reads') : named;
  });
}
