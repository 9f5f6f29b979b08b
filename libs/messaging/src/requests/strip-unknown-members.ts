import { z } from 'zod';

/**
 * The same schema for a receiver: it removes unknown members, at any depth, instead of rejecting them. Callers keep
 * working when a newer service adds members to a reply (CONTRIBUTING, deployability).
 */
export function stripUnknownMembers(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const { catchall } = schema.def;
    if (catchall && !(catchall instanceof z.ZodNever)) return schema;
    const members = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => [
      name,
      stripUnknownMembers(member),
    ]);
    return z.object(Object.fromEntries(members) as Record<string, z.ZodType>);
  }
  if (schema instanceof z.ZodArray) return z.array(stripUnknownMembers(schema.element as z.ZodType));
  if (schema instanceof z.ZodOptional) return stripUnknownMembers(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodNullable) return stripUnknownMembers(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodUnion) return z.union((schema.options as z.ZodType[]).map(stripUnknownMembers));
  return schema;
}
