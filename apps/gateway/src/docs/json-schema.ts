import { z } from 'zod';

export type Json = Record<string, unknown>;

/**
 * JSON Schema of a zod schema; those with an id become members of `components` and are referred to. An answer may get
 * further members one day, so only what is sent to us is closed against unknown ones.
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
 * What a reader does not miss: patterns of a standard form, the bounds of a safe integer, zod's own places of
 * definitions.
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
