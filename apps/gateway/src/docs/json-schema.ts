import { z } from 'zod';

export type Json = Record<string, unknown>;

/** zod's name of a recursive schema without an id: of `z.json()`, in this project. */
const anonymous = /^__schema\d+$/;

/**
 * JSON Schema of a zod schema. Schemas with an id become members of `components` and are referenced. Only schemas of
 * requests reject unknown members: responses may get further members in the future.
 *
 * Any JSON is the schema `{}`. zod's own, which refers to itself, is more than generators of clients can express:
 * openapi-typescript writes code that does not compile, openapi-python-client leaves out the endpoint.
 */
export function jsonSchema(schema: z.ZodType, components: Json, io: 'input' | 'output'): Json {
  const {
    $defs,
    $schema: _,
    ...top
  } = z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' }) as Json & { $defs?: Json };
  for (const [name, def] of Object.entries($defs ?? {})) {
    if (!anonymous.test(name)) components[name] ??= tidy(def, io);
    else if (!isAnyJson(def)) throw new Error('a recursive schema needs an id, by which OpenAPI names it');
  }
  const { id, ...rest } = tidy(top, io) as Json;
  if (typeof id !== 'string') return rest;
  components[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

/** Whether a schema is that of `z.json()`: its six kinds of value, and nothing else. */
function isAnyJson(schema: unknown): boolean {
  const { anyOf = [] } = schema as { anyOf?: { type?: string }[] };
  return anyOf.map(({ type }) => type).join() === 'string,number,boolean,null,array,object';
}

/**
 * Removes what tells a reader nothing: the pattern beside a standard format, the names of members that are any text,
 * and the bounds of safe integers. References to zod's `$defs` become references to `components`, or any JSON.
 */
function tidy(node: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, io));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node as Json).filter(
    ([key, value]) =>
      !(key === 'pattern' && 'format' in node) &&
      !(key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') &&
      !(typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER) &&
      !(key === 'additionalProperties' && value === false && io === 'output'),
  );
  return Object.fromEntries(
    kept.flatMap(([key, value]) => {
      if (key !== '$ref' || typeof value !== 'string') return [[key, tidy(value, io)]];
      const name = value.replace('#/$defs/', '');
      return anonymous.test(name) ? [] : [[key, `#/components/schemas/${name}`]];
    }),
  );
}
