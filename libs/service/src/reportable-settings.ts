import { z } from 'zod';

export type ReportedSettings = Record<string, string | number | boolean>;

interface Property {
  description?: string;
  enum?: unknown[];
}

/**
 * What may leave the deployment of a service's settings: a number, a switch and one of listed values as they are. A
 * text may be a secret, a host or a name, so of it and of every secret only whether it is set. A setting that the
 * schema does not declare is left out.
 */
export function reportableSettings(schema: z.ZodType, config: object): ReportedSettings {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const values = config as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties as Record<string, Property>).map(([name, { description = '', enum: listed }]) => {
      const value = values[name];
      const isPublic =
        !description.startsWith('Secret:') &&
        (typeof value === 'number' || typeof value === 'boolean' || (listed?.includes(value) ?? false));
      const isSet = value !== undefined && value !== '';
      return [name, isPublic ? (value as string | number | boolean) : isSet ? '(set)' : '(not set)'];
    }),
  );
}
