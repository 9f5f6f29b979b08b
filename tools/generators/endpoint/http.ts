import { dirname, posix } from 'node:path';
import type { Tree } from '@nx/devkit';
import {
  camelCase,
  classOf,
  declares,
  edit,
  keysIn,
  pascalCase,
  quoted,
  sentence,
  textOf,
  withEndpoint,
  withImport,
  withModuleItem,
  withProperty,
} from '../edits.ts';
import { files, httpFile, type EndpointOptions } from './options.ts';

const gatewaySource = 'apps/gateway/src';

/** Writes the HTTP declaration. A new file is listed in endpoints.ts and served by a module of the gateway. */
export function addHttp(tree: Tree, options: EndpointOptions): void {
  const { area, name, tag } = options;
  const file = httpFile(options);
  const isNew = !tree.exists(file);
  const list = `${camelCase(area)}Endpoints`;
  if (isNew) tree.write(file, `const tag = ${quoted(tag!)};\n\nexport const ${list} = [];\n`);
  edit(tree, file, (text) => {
    const imported = withImport(withImport(text, camelCase(name), `./${area}.js`), 'http', '../http/forwarded.js');
    return withEndpoint(imported, `${camelCase(name)}Endpoint`, declarationOf(options, imported));
  });
  if (!isNew) return;
  const key = addToEndpoints(tree, options, list);
  addToGateway(tree, options, key);
}

function declarationOf(options: EndpointOptions, text: string): string {
  const { name, method, path, operation, action } = options;
  const contract = camelCase(name);
  const read = method === 'GET';
  const tag =
    options.tag === undefined || text.includes(`const tag = ${quoted(options.tag)};`) ? undefined : options.tag;
  return `const ${contract}Endpoint = http(${contract}, {
  id: '${contract}',
  method: '${method}',
  path: '${path}',
  ${tag === undefined ? 'tag' : `tag: ${quoted(tag)}`},
  summary: ${quoted(sentence(name))},
  operation: '${operation}',${stepUpOf(options)}
  action: '${action}',${read ? '' : '\n  status: 204,'}
  response: ${read ? "'What was read',\n  example: {}" : "'Done'"},
  targets: () => [],
});`;
}

/** For people every operation is in some role: a change needs a recent sign-in, unless the developer says why not. */
function stepUpOf({ method, noStepUp }: EndpointOptions): string {
  if (method === 'GET') return '';
  return noStepUp === undefined ? '\n  stepUp: true,' : `\n  noStepUp: ${quoted(noStepUp)},`;
}

/** Two services may have an area of the same name. */
function addToEndpoints(tree: Tree, { service, area }: EndpointOptions, list: string): string {
  const text = textOf(tree, files.endpoints);
  const isTaken = keysIn(text, 'forwardedEndpoints').includes(camelCase(area)) || declares(text, list);
  const key = isTaken ? camelCase(`${service}-${area}`) : camelCase(area);
  const name = isTaken ? `${key}Endpoints` : list;
  edit(tree, files.endpoints, (code) =>
    withProperty(
      withImport(code, isTaken ? `${list} as ${name}` : list, `../${service}/${area}.http.js`),
      key,
      name,
      'forwardedEndpoints',
    ),
  );
  return key;
}

function addToGateway(tree: Tree, { area, path }: EndpointOptions, key: string): void {
  const isAdmin = path.startsWith('/o/{shortId}/api/admin/');
  const folder = `${gatewaySource}/${isAdmin ? 'admin/' : ''}${area}`;
  const existing = tree.children(folder).find((child) => child.endsWith('.module.ts'));
  const file = `${folder}/${existing ?? `${area}${isAdmin ? '-api' : ''}.module.ts`}`;
  if (existing === undefined)
    tree.write(
      file,
      `import { Module } from '@nestjs/common';

@Module({ imports: [], controllers: [] })
export class ${pascalCase(area)}${isAdmin ? 'Api' : ''}Module {}
`,
    );
  const requests = posix.relative(dirname(file), `${gatewaySource}/requests`);
  edit(tree, file, (text) => {
    const imports: [string, string][] = [
      ['forwardedEndpoints', '@holdfast/contracts/http'],
      ['forwardingController', `${requests}/forward.js`],
      ['RequestsModule', `${requests}/requests.module.js`],
    ];
    const imported = imports.reduce((code, [name, from]) => withImport(code, name, from), text);
    const served = withModuleItem(imported, 'controllers', `forwardingController(forwardedEndpoints.${key})`);
    return withModuleItem(served, 'imports', 'RequestsModule');
  });
  const module = classOf(textOf(tree, file))!;
  if (textOf(tree, files.gateway).includes(module)) return;
  const from = `./${posix.relative(gatewaySource, file).replace(/\.ts$/, '.js')}`;
  edit(tree, files.gateway, (text) => withModuleItem(withImport(text, module, from), 'imports', module));
}
