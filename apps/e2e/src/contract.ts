import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { exchange, type Reply } from './http.ts';

interface Operation {
  security?: unknown[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

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
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: { paths: Record<string, Record<string, Operation>> }) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(this.#ajv);
    this.#ajv.addFormat('base64', /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
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

  #errors(method: string, path: string, reply: Reply<unknown>): string[] {
    const { status, headers, text } = reply;
    // Of `users/me` and `users/{user}` the router takes the former.
    const [operation] = this.operations
      .filter((o) => o.method === method && o['x-operation'] !== undefined && formOf(o.path).test(path))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    const general = status >= 400 ? problemErrors(reply) : [];
    if (!headers['x-request-id']) general.push('no X-Request-Id');
    if (!operation) return [...general, ...(status >= 400 ? this.#against(problemPath, reply.body) : [])];
    const response = operation.responses[String(status)];
    if (!response) return [...general, `${status} is not documented for ${method} ${operation.path}`];
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
  const steps = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
  return `#/${steps.map((s) => encodeURIComponent(s.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
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
