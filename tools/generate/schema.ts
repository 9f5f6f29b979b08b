import { z } from 'zod';
import { code, table } from './markdown.ts';

interface JsonSchema {
  type?: string;
  format?: string;
  enum?: string[];
  const?: string;
  default?: unknown;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
}

/**
 * The members of an object schema, nested ones with their path, as a table; those inside of `elsewhere` are left out.
 */
export function fieldTable(schema: z.ZodType, elsewhere?: string): string {
  const top = jsonSchemaOf(schema);
  const rows = rowsOf(top, top.$defs ?? {}, '').filter(([path]) => !elsewhere || !path?.startsWith(`\`${elsewhere}.`));
  return table(['Field', 'Type', 'Required', 'Meaning'], rows);
}

function rowsOf(node: JsonSchema, defs: Record<string, JsonSchema>, prefix: string): string[][] {
  const { properties = {}, required = [] } = resolve(node, defs);
  return Object.entries(properties).flatMap(([name, given]) => {
    const field = resolve(given, defs);
    const path = prefix + name;
    const row = [
      code(path),
      typeOf(field, defs),
      required.includes(name) ? 'yes' : 'no',
      given.description ?? field.description ?? '',
    ];
    const inner = field.items ? rowsOf(field.items, defs, `${path}[].`) : rowsOf(field, defs, `${path}.`);
    return [row, ...inner];
  });
}

function typeOf(node: JsonSchema, defs: Record<string, JsonSchema>): string {
  const { type, format, items, enum: values, additionalProperties } = node;
  if (values) return values.map(code).join(' ');
  if (items) return `array of ${typeOf(resolve(items, defs), defs)}`;
  if (type === 'object' && typeof additionalProperties === 'object') return 'map';
  return format ? `${type}, ${format}` : (type ?? 'any');
}

/** Resolves a reference to `$defs`. Recursive schemas (JSON in JSON) are not expanded. */
function resolve(node: JsonSchema, defs: Record<string, JsonSchema>): JsonSchema {
  const found = node.$ref?.startsWith('#/$defs/') ? defs[node.$ref.slice('#/$defs/'.length)] : undefined;
  return found ? { ...found, ...node } : node;
}
