import { basename } from 'node:path';
import { formatFiles, type Tree } from '@nx/devkit';
import { camelCase, edit, pascalCase, textOf, withBefore, withImport, withItem } from '../edits.ts';

interface Options {
  name: string;
  service: string;
  area: string;
  feature: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  operation: string;
  action: string;
}

/** Writes what CONTRIBUTING.md "Add an endpoint" lists, so that what is left is the behaviour. */
export default async function endpointGenerator(tree: Tree, options: Options): Promise<void> {
  const handler = handlerFile(options);
  if (tree.exists(handler)) throw new Error(`${handler} exists; choose another name.`);
  addContract(tree, options);
  addHandler(tree, options);
  addAction(tree, options);
  addController(tree, options);
  await formatFiles(tree);
}

function handlerFile({ service, area, name }: Pick<Options, 'service' | 'area' | 'name'>): string {
  return `apps/${service}/src/${area}/${name}.handler.ts`;
}

/** Parameters of the path besides the organization's. */
function parametersOf({ path }: Options): string[] {
  return [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => name!).filter((name) => name !== 'shortId');
}

function addContract(tree: Tree, options: Options): void {
  const { name, service, area, method } = options;
  const file = `libs/contracts/src/${service}/${area}.ts`;
  const list = `libs/contracts/src/${service}/contracts.ts`;
  const kind = method === 'GET' ? 'query' : 'idempotentCommand';
  if (!tree.exists(file)) {
    tree.write(file, `import { z } from 'zod';\n`);
    edit(tree, 'libs/contracts/src/index.ts', (text) =>
      withBefore(text, `export * from './${service}/contracts.js';`, `export * from './${service}/${area}.js';\n`),
    );
  }
  const members = parametersOf(options).map((parameter) => `${parameter}: uuid`);
  edit(tree, file, (text) => {
    const imported = [kind, ...(members.length > 0 ? ['uuid'] : [])]
      .filter((symbol) => !new RegExp(`import [^;]*\\b${symbol}\\b`).test(text))
      .reduce((code, symbol) => withImport(code, symbol, symbol === 'uuid' ? '../fields.js' : '../contract.js'), text);
    return `${imported}
export const ${camelCase(name)} = ${kind}({
  service: '${service}',
  name: '${name}',
  callers: ['gateway'],
  request: z.strictObject({ ${members.join(', ')} }),
  reply: z.strictObject({}),
  errors: [],
});
`;
  });
  edit(tree, list, (text) =>
    withItem(withImport(text, camelCase(name), `./${area}.js`), 'Contracts = [', camelCase(name)),
  );
}

function addHandler(tree: Tree, { name, service, area, method, path }: Options): void {
  const contract = camelCase(name);
  const handler = `${pascalCase(name)}Handler`;
  tree.write(
    handlerFile({ service, area, name }),
    `import { Controller } from '@nestjs/common';
import { ${contract}, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';

/** ${method} ${path.replace('/o/{shortId}/api/', '…/')} */
@Controller()
export class ${handler} {
  @Handles(${contract})
  handle(_request: RequestOf<typeof ${contract}>, _context: RequestContext): Promise<ReplyOf<typeof ${contract}>> {
    throw new Error('${name} is not implemented');
  }
}
`,
  );
  edit(tree, `apps/${service}/src/app.module.ts`, (text) =>
    withItem(withImport(text, handler, `./${area}/${name}.handler.js`), 'controllers: [', handler),
  );
}

function addAction(tree: Tree, { action, method, name }: Options): void {
  const file = 'libs/contracts/src/audit/actions.ts';
  if (textOf(tree, file).includes(`'${action}'`)) return;
  edit(tree, file, (text) => {
    const named = withBefore(text, "  'request.denied':", `  '${action}': '${name.replaceAll('-', ' ')}',\n`);
    return method === 'GET' ? withItem(named, 'reads = new Set<Action>([', `'${action}'`) : named;
  });
}

function addController(tree: Tree, options: Options): void {
  const { name, feature, method, path, operation, action } = options;
  const contract = camelCase(name);
  const controller = `${pascalCase(name)}Controller`;
  const up = feature
    .split('/')
    .map(() => '..')
    .join('/');
  const parameters = parametersOf(options);
  const params = ['shortId', ...parameters.map((parameter) => `${parameter}: uuid`)].join(', ');
  const names = parameters.join(', ');
  const imports = ['shortId', ...(parameters.length > 0 ? ['uuid'] : []), contract, 'type ReplyOf'].join(', ');
  const read = method === 'GET';
  const declaration = `export const ${contract}Endpoint = endpoint({
  id: '${contract}',
  method: '${method}',
  path: '${path}',
  tag: 'Customer credentials',
  summary: '${name.replaceAll('-', ' ')}',
  operation: '${operation}',
  action: '${action}',
  params: z.strictObject({ ${params} }),${read ? '' : '\n  idempotent: true,'}
  responses: { 200: { description: 'Done', schema: ${contract}.reply } },
});`;
  const input = `@Input() input: InputOf<typeof ${contract}Endpoint>, @Req() request: FastifyRequest`;
  const reply = `Omit<ReplyOf<typeof ${contract}>, 'replayed'>`;
  const method_ = read
    ? `read(${input}): Promise<ReplyOf<typeof ${contract}>> {
    ${names && `const { ${names} } = input.params;`}
    return this.resources.read(request, ${contract}, { ${names} }, () => []);
  }`
    : `act(${input}, @Res({ passthrough: true }) reply: FastifyReply): Promise<${reply}> {
    ${names && `const { ${names} } = input.params;`}
    const command = { ${[...parameters, '...keyOf(input)'].join(', ')} };
    return this.resources.act(request, reply, ${contract}, command, () => []);
  }`;
  tree.write(
    `apps/gateway/src/${feature}/${name}.controller.ts`,
    `import { Controller, Req${read ? '' : ', Res'} } from '@nestjs/common';
import type { ${read ? '' : 'FastifyReply, '}FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ${imports} } from '@holdfast/contracts';
import { endpoint, Route, type InputOf } from '${up}/endpoints/endpoint.js';
import { Input } from '${up}/requests/input.js';
import { ${read ? '' : 'keyOf, '}Resources } from '${up}/requests/resources.js';

${declaration}

@Controller()
export class ${controller} {
  constructor(private readonly resources: Resources) {}

  @Route(${contract}Endpoint)
  ${method_}
}
`,
  );
  edit(tree, moduleOf(tree, feature), (text) =>
    withItem(withImport(text, controller, `./${name}.controller.js`), 'controllers: [', controller),
  );
}

function moduleOf(tree: Tree, feature: string): string {
  const folder = `apps/gateway/src/${feature}`;
  const file = tree.children(folder).find((child) => child.endsWith('.module.ts'));
  if (file === undefined) throw new Error(`${folder} has no Nest module; create ${basename(feature)}.module.ts first.`);
  return `${folder}/${file}`;
}
