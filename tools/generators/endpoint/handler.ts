import { posix } from 'node:path';
import type { Tree } from '@nx/devkit';
import { camelCase, edit, pascalCase, withImport, withModuleItem } from '../edits.ts';
import { handlerFile, parametersOf, type EndpointOptions } from './options.ts';

/** Writes the handler, and lists it in the nearest module above its folder. */
export function addHandler(tree: Tree, options: EndpointOptions): void {
  const { name, method, path } = options;
  const contract = camelCase(name);
  const handler = `${pascalCase(name)}Handler`;
  const file = handlerFile(options);
  const route = `${method} ${path.replace('/o/{shortId}/api/', '…/')}`;
  const comment =
    method === 'GET'
      ? `/** ${route} */`
      : `/**
 * ${route}
 *
 * A repeat gets the stored reply: the change runs within \`Idempotency.once\`.
 */`;
  tree.write(
    file,
    `import { Controller } from '@nestjs/common';
import { ${contract}, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';

${comment}
@Controller()
export class ${handler} {
  @Handles(${contract})
  handle(_request: RequestOf<typeof ${contract}>, _context: RequestContext): Promise<ReplyOf<typeof ${contract}>> {
    throw new Error('${name} is not implemented');
  }
}
`,
  );
  const module = moduleOf(tree, options.service, posix.dirname(file));
  const from = posix.relative(posix.dirname(module), file).replace(/\.ts$/, '.js');
  edit(tree, module, (text) => withModuleItem(withImport(text, handler, `./${from}`), 'controllers', handler));
}

function moduleOf(tree: Tree, service: string, folder: string): string {
  const source = `apps/${service}/src`;
  if (folder === source) return `${source}/app.module.ts`;
  const own = tree.children(folder).find((child) => child.endsWith('.module.ts'));
  return own === undefined ? moduleOf(tree, service, posix.dirname(folder)) : `${folder}/${own}`;
}

/** How a test starts a service, and sends a request to it as the gateway. */
interface Fixture {
  imports: [names: string, file: string][];
  setUp: string;
  /** With the contract and the input. */
  send: (contract: string, input: string) => string;
}

const fixtures: Record<string, Fixture> = {
  directory: {
    imports: [['request, withDirectory', 'directory.fixture.js']],
    setUp: '  withDirectory();\n',
    send: (contract, input) => `request(${contract}, ${input}, 'gateway', testContext())`,
  },
  issuance: {
    imports: [['stack, withIssuance', 'customers.fixture.js']],
    setUp: '  withIssuance();\n',
    send: (contract, input) => `stack.gateway.request(${contract}, ${input}, testContext())`,
  },
  signals: stackFixture('DestinationsStack', 'audit-destinations/destinations-stack.fixture.js', '[]'),
};

function stackFixture(name: string, file: string, options = ''): Fixture {
  return {
    imports: [[name, file]],
    setUp: `  let stack: ${name};
  beforeAll(async () => {
    stack = await ${name}.start(${options});
  });
  afterAll(() => stack.stop());
`,
    send: (contract, input) => `stack.bus.request(${contract}, ${input}, testContext())`,
  };
}

/** A service that the generator has written has a fixture of its name. */
function fixtureOf(tree: Tree, service: string): Fixture | undefined {
  const file = `${service}-stack.fixture`;
  if (fixtures[service]) return fixtures[service];
  const isThere = service !== 'auth' && tree.exists(`apps/${service}/src/${file}.ts`);
  return isThere ? stackFixture(`${pascalCase(service)}Stack`, `${file}.js`) : undefined;
}

/** Writes a test that fails until the handler replies: over the bus, or of the handler alone. */
export function addTest(tree: Tree, options: EndpointOptions): void {
  const fixture = fixtureOf(tree, options.service);
  const file = handlerFile(options).replace(/\.handler\.ts$/, fixture ? '.int.spec.ts' : '.spec.ts');
  const input = `{ ${parametersOf(options)
    .map((parameter) => `${parameter}: ${exampleOf(parameter)}`)
    .join(', ')} }`;
  tree.write(file, fixture ? testOverBus(options, fixture, input) : testOfHandler(options, input));
}

function exampleOf(parameter: string): string {
  return parameter === 'clientId' ? "'app_Ab3dE6gH9jK2mN5pQ8sT1v'" : "'5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10'";
}

function testOverBus({ name, service, area, folder = area }: EndpointOptions, fixture: Fixture, input: string): string {
  const contract = camelCase(name);
  const jest = fixture.setUp.includes('beforeAll')
    ? 'afterAll, beforeAll, describe, expect, it'
    : 'describe, expect, it';
  const here = `apps/${service}/src/${folder}`;
  const imports = fixture.imports.map(([names, to]) => {
    const from = posix.relative(here, `apps/${service}/src/${to}`);
    return `import { ${names} } from '${from.startsWith('.') ? from : `./${from}`}';\n`;
  });
  return `import { ${jest} } from '@jest/globals';
import { ${contract} } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
${imports.join('')}
describe('${name}', () => {
${fixture.setUp}
  it('replies as its contract says when the request is valid', async () => {
    await expect(${fixture.send(contract, input)}).resolves.toEqual({});
  });
});
`;
}

function testOfHandler({ name }: EndpointOptions, input: string): string {
  const handler = `${pascalCase(name)}Handler`;
  return `import { expect, it } from '@jest/globals';
import { testContext } from '@holdfast/testing';
import { ${handler} } from './${name}.handler.js';

it('${name} replies as its contract says when the request is valid', async () => {
  // @Handles reads the input from the message, as it comes over NATS.
  const message = { input: ${input}, context: testContext(), caller: 'gateway' };
  await expect(new ${handler}().handle(message as never, undefined as never)).resolves.toEqual({});
});
`;
}
