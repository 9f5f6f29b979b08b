import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { exchange, type Reply } from './http.ts';

interface Header {
  schema: { type: string; pattern?: string };
}

interface Response {
  content?: Record<string, { schema?: object }>;
  headers?: Record<string, Header | { $ref: string }>;
}

interface Operation {
  security?: unknown[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, object> };
  responses: Record<string, Response | { $ref: string }>;
}

/** Headers that mean something to a client, so each response that has one declares it. */
const meaningfulHeaders = [
  'access-control-allow-origin',
  'content-disposition',
  'content-range',
  'dpop-nonce',
  'etag',
  'idempotency-replayed',
  'location',
  'retry-after',
  'set-cookie',
  'www-authenticate',
];

/** One operation of the API reference. */
export interface Documented extends Operation {
  method: string;
  /** Template of the path. */
  path: string;
  /** Scopes that it requires of a program; none when it is public, or for people only. */
  scopes: string[];
  /** The operation that it requires of a program or person; absent when it is public. */
  'x-operation'?: string;
}

const problemPath = '#/components/schemas/Problem';

/**
 * The API reference as the stack publishes it. Every response that a test receives is validated against it: one that is
 * not as documented fails the test, whatever the test is about.
 */
export class Reference {
  readonly operations: Documented[];
  readonly #ajv: Ajv2020;
  readonly #document: object;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: { paths: Record<string, Record<string, Operation>> }) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(this.#ajv);
    this.#ajv.addFormat('base64', /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
    this.#document = document;
    this.#ajv.addSchema(closed(document), 'openapi');
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        scopes: scopesOf(operation),
      })),
    );
  }

  static async load(origin: string): Promise<Reference> {
    const { status, body } = await exchange<ConstructorParameters<typeof Reference>[0]>({
      origin,
      path: '/openapi.json',
    });
    if (status !== 200) throw new Error(`/openapi.json returned ${status}`);
    return new Reference(body);
  }

  /** @throws {Error} when a response of the API is not as documented */
  check(method: string, path: string, reply: Reply<unknown>): void {
    const errors = this.#errors(method, path.split('?')[0]!, reply);
    if (errors.length > 0)
      throw new Error(
        `${method} ${path} returned ${reply.status}, which is not as documented:\n` +
          `  ${errors.join('\n  ')}\n${reply.text.slice(0, 2000)}`,
      );
  }

  /** What is not as documented in a response of an operation, public ones included. */
  deviations(operation: Documented, reply: Reply<unknown>): string[] {
    const { status, headers, text } = reply;
    const given = operation.responses[String(status)];
    if (!given) return ['is not documented'];
    const [response, at] = this.#resolved<Response>(given, this.#pathTo(operation, 'responses', String(status)));
    return [
      ...(headers['x-request-id'] ? [] : ['no X-Request-Id']),
      ...this.#headerErrors(response, headers),
      ...this.#contentErrors(response, at, headers['content-type'] ?? '', text, reply),
    ];
  }

  #headerErrors({ headers: declared = {} }: Response, headers: Record<string, string>): string[] {
    const schemas = new Map(
      Object.entries(declared).map(([name, header]) => [
        name.toLowerCase(),
        this.#resolved<Header>(header, '')[0].schema,
      ]),
    );
    const undeclared = meaningfulHeaders.filter((name) => headers[name] !== undefined && !schemas.has(name));
    const invalid = [...schemas].filter(([name, { type, pattern }]) => {
      const value = headers[name];
      if (value === undefined) return false;
      return type === 'integer' ? !/^\d+$/.test(value) : pattern !== undefined && !new RegExp(pattern).test(value);
    });
    return [
      ...undeclared.map((name) => `the header ${name} is not documented`),
      ...invalid.map(([name]) => `the header ${name}: ${headers[name]} is not as documented`),
    ];
  }

  #contentErrors({ content }: Response, at: string, type: string, text: string, reply: Reply<unknown>): string[] {
    if (!content) return text === '' && type === '' ? [] : ['a body or a content type where none is documented'];
    if (text === '' && type === '') return [];
    const mediaType = type.split(';')[0]!;
    const declared = content[mediaType];
    if (!declared) return [`content type ${type} instead of ${Object.keys(content).join(' or ')}`];
    const general = mediaType === 'application/problem+json' ? problemErrors(reply) : [];
    if (!declared.schema) return general;
    const pointer =
      '$ref' in declared.schema ? String(declared.schema.$ref) : `${at}/${pointerTo('content', mediaType, 'schema')}`;
    return [...general, ...this.#against(pointer, mediaType.startsWith('text/') ? text : reply.body)];
  }

  #pathTo({ path, method }: Documented, ...steps: string[]): string {
    return `#/${pointerTo('paths', path, method.toLowerCase(), ...steps)}`;
  }

  /** What a reference leads to, and where that is. */
  #resolved<T extends object>(given: T | { $ref: string }, at: string): [T, string] {
    if (!('$ref' in given)) return [given, at];
    const steps = given.$ref.slice(2).split('/');
    return [steps.reduce((node, step) => (node as Record<string, object>)[step]!, this.#document) as T, given.$ref];
  }

  #errors(method: string, path: string, reply: Reply<unknown>): string[] {
    const { status, headers, text } = reply;
    // Of `users/me` and `users/{user}` the router takes the former.
    const [operation] = this.operations
      .filter((o) => o.method === method && o['x-operation'] !== undefined && formOf(o.path).test(path))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    const general = status >= 400 ? problemErrors(reply) : [];
    if (!headers['x-request-id']) general.push('no X-Request-Id');
    if (!operation) return [...general, ...(status >= 400 ? this.#against(problemPath, reply.body) : [])];
    const given = operation.responses[String(status)];
    if (!given) return [...general, `${status} is not documented for ${method} ${operation.path}`];
    const [response] = this.#resolved<Response>(given, '');
    if (!response.content) return text === '' ? general : [...general, 'a body where none is documented'];
    const type = headers['content-type']?.split(';')[0] ?? '';
    const content = response.content[type];
    if (!content)
      return [
        ...general,
        `content type ${headers['content-type']} instead of ${Object.keys(response.content).join(' or ')}`,
      ];
    // Bytes have no schema.
    if (!content.schema) return general;
    return [
      ...general,
      ...this.#against(
        pointerOf(content.schema, operation, status, type),
        type.startsWith('text/') ? text : reply.body,
      ),
    ];
  }

  #against(pointer: string, body: unknown): string[] {
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `openapi${pointer}` });
    this.#compiled.set(pointer, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      (e) => `${e.instancePath || 'the body'} ${e.message} ${JSON.stringify(e.params)}`,
    );
  }
}

/**
 * Closes all schemas: the reference leaves responses open, so that clients accept members of later versions, but here a
 * member that the reference does not name is an error.
 */
function closed<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed) as T;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value as unknown)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object' && !('additionalProperties' in copy);
  return (isObject ? { ...copy, additionalProperties: false } : copy) as T;
}

function scopesOf({ security = [] }: Operation): string[] {
  return security.flatMap((s) => Object.values(s as Record<string, string[]>).flat());
}

function pointerOf(schema: object, { path, method }: Documented, status: number, type: string): string {
  if ('$ref' in schema) return String(schema.$ref);
  return `#/${pointerTo('paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema')}`;
}

function pointerTo(...steps: string[]): string {
  return steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
}

export function formOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{[A-Za-z]+\}/g, '[^/]+')}$`);
}

/** Checks what a schema cannot express: a problem repeats the status and the request id of its response. */
function problemErrors({ status, headers, body }: Reply<unknown>): string[] {
  const errors: string[] = [];
  if (!headers['content-type']?.startsWith('application/problem+json'))
    return [`${headers['content-type']} instead of a problem`];
  const problem = body as { status?: number; requestId?: string };
  if (problem.status !== status) errors.push(`the status in the problem is ${problem.status}`);
  if (problem.requestId !== headers['x-request-id'])
    errors.push(`the problem has another request id than the header ${headers['x-request-id']}`);
  return errors;
}
