import { z } from 'zod';

export type Json = Record<string, unknown>;

/**
 * JSON Schema of a zod schema. Schemas with an id become members of `components` and are referenced. Only schemas of
 * requests reject unknown members: responses may get further members in the future.
 */
export function jsonSchema(schema: z.ZodType, components: Json, io: 'input' | 'output'): Json {
  const {
    $defs,
    $schema: _,
    ...top
  } = z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' }) as Json & { $defs?: Json };
  for (const [name, def] of Object.entries($defs ?? {})) components[name] ??= tidy(def, io);
  const { id, ...rest } = tidy(top, io) as Json;
  if (typeof id !== 'string') return rest;
  components[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

/**
 * Removes what tells a reader nothing: the pattern beside a standard format, and the bounds of safe integers.
 * References to zod's `$defs` become references to `components`.
 */
function tidy(node: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, io));
  if (typeof node !== 'object' || node === null)
    return typeof node === 'string' ? node.replace(/^#\/\$defs\//, '#/components/schemas/') : node;
  const kept = Object.entries(node as Json).filter(
    ([key, value]) =>
      !(key === 'pattern' && 'format' in node) &&
      !(typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER) &&
      !(key === 'additionalProperties' && value === false && io === 'output'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, tidy(value, io)]));
}
