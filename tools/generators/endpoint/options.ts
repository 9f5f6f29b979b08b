import type { Tree } from '@nx/devkit';
import { camelCase, keysIn, stringsIn, textOf } from '../edits.ts';

/** Options of the generator; schema.json describes each. */
export interface EndpointOptions {
  name: string;
  service: string;
  area: string;
  folder?: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  operation: string;
  action: string;
  actionDescription?: string;
  tag?: string;
  stepUp?: boolean;
  noStepUp?: string;
  prepares?: string;
  preparesNothing?: string;
}

const contracts = 'libs/contracts/src';
export const files = {
  actions: `${contracts}/audit/actions.ts`,
  endpoints: `${contracts}/http/endpoints.ts`,
  index: `${contracts}/index.ts`,
  operations: `${contracts}/operations.ts`,
  prepared: `${contracts}/prepared.ts`,
  roles: `${contracts}/roles.ts`,
  services: `${contracts}/services.ts`,
  gateway: 'apps/gateway/src/app.module.ts',
};

export function contractFile({ service, area }: Pick<EndpointOptions, 'service' | 'area'>): string {
  return `${contracts}/${service}/${area}.ts`;
}

export function httpFile({ service, area }: Pick<EndpointOptions, 'service' | 'area'>): string {
  return `${contracts}/${service}/${area}.http.ts`;
}

export function contractListFile(service: string): string {
  return `${contracts}/${service}/contracts.ts`;
}

export function handlerFile({ service, area, folder = area, name }: EndpointOptions): string {
  return `apps/${service}/src/${folder}/${name}.handler.ts`;
}

/** Parameters of the path besides the organization's. */
export function parametersOf({ path }: EndpointOptions): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => name !== 'shortId');
}

export function hasAction(tree: Tree, action: string): boolean {
  return keysIn(textOf(tree, files.actions), 'actions').includes(action);
}

/**
 * Everything that can be wrong is found before anything is written.
 *
 * @throws an error that says what to change
 */
export function checkOptions(tree: Tree, options: EndpointOptions): void {
  const problem =
    unknownNames(tree, options) ?? existing(tree, options) ?? missing(tree, options) ?? undecided(tree, options);
  if (problem !== undefined) throw new Error(problem);
}

function unknownNames(tree: Tree, { service, operation }: EndpointOptions): string | undefined {
  const services = keysIn(textOf(tree, files.services), 'services');
  if (!services.includes(service)) return `There is no service ${service}. The services are ${services.join(', ')}.`;
  const variables = ['customerScopes', 'adminOperations', 'personOperations'];
  const operations = variables.flatMap((variable) => keysIn(textOf(tree, files.operations), variable));
  if (!operations.includes(operation))
    return `There is no operation ${operation} in ${files.operations}. The operations are ${operations.join(', ')}.`;
  return undefined;
}

function existing(tree: Tree, options: EndpointOptions): string | undefined {
  const handler = handlerFile(options);
  if (tree.exists(handler)) return `${handler} exists; choose another name.`;
  const declaration = new RegExp(`^export const ${camelCase(options.name)}\\b`, 'm');
  const folders = keysIn(textOf(tree, files.services), 'services').map((service) => `${contracts}/${service}`);
  const declaring = folders
    .flatMap((folder) => tree.children(folder).map((file) => `${folder}/${file}`))
    .find((file) => file.endsWith('.ts') && declaration.test(textOf(tree, file)));
  return declaring && `${declaring} exports ${camelCase(options.name)} already; choose another name.`;
}

function missing(tree: Tree, options: EndpointOptions): string | undefined {
  const { action, actionDescription, method, tag } = options;
  const actions = textOf(tree, files.actions);
  if (!hasAction(tree, action)) {
    if (!actionDescription) return `${action} is a new action: --actionDescription says what was done.`;
  } else if (method === 'GET' && !['operatorReads', 'reads'].some((set) => stringsIn(actions, set).includes(action)))
    return `${action} is no read in ${files.actions}, and an action never changes its retention class.`;
  const http = httpFile(options);
  if (tag === undefined && !(tree.exists(http) && textOf(tree, http).includes('const tag = ')))
    return `${http} has no constant \`tag\`: --tag names the heading in the API reference.`;
  return undefined;
}

/** What a change must decide: whether a person must have signed in a short time ago, and what it prepares. */
function undecided(tree: Tree, options: EndpointOptions): string | undefined {
  const { method, stepUp, noStepUp, prepares, preparesNothing } = options;
  if (method === 'GET')
    return stepUp || noStepUp || prepares || preparesNothing
      ? 'GET changes nothing: --stepUp, --noStepUp, --prepares and --preparesNothing are for changes.'
      : undefined;
  if (stepUp && noStepUp) return 'A change has --stepUp or --noStepUp, not both.';
  if (stepUp === false) return '--noStepUp says why a person makes this change however long ago they signed in.';
  const text = textOf(tree, files.prepared);
  const kinds = keysIn(text, 'preparedKinds');
  const reasons = keysIn(text, 'preparesNothing');
  const choices =
    `--prepares takes one of ${kinds.join(', ')}. --preparesNothing takes the beginning of a reason: ` +
    `${reasons.map((reason) => `"${reason}"`).join(', ')}. A new one is added to ${files.prepared} first.`;
  if ((prepares === undefined) === (preparesNothing === undefined))
    return `Does this change prepare something that acts later (ADR 0074)? ${choices}`;
  if (prepares !== undefined && !kinds.includes(prepares)) return `${prepares} is no kind. ${choices}`;
  if (preparesNothing !== undefined && reasons.filter((reason) => reason.startsWith(preparesNothing)).length !== 1)
    return `"${preparesNothing}" is not the beginning of one reason. ${choices}`;
  return undefined;
}
