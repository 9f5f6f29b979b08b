import { z } from 'zod';
import type { Actor } from './context.js';

const makerTypes = ['app', 'person', 'operator'] as const;
type MakerType = (typeof makerTypes)[number];

/**
 * Who prepared something that acts later without them: a link, an offer, a destination, an export, a reader, a secret.
 * It is stored and shown with each of them, and what it prepared ends with its right to prepare it (product §4). Absent
 * where it was prepared before makers were stored.
 */
export const makerSchema = z
  .strictObject({
    type: z.enum(makerTypes).describe('Kind of maker'),
    id: z
      .string()
      .optional()
      .describe('The client ID of an app, the id of a person; a person who was removed has none'),
    name: z.string().optional().describe('Name of the app when it made it'),
  })
  .meta({ id: 'Maker' });
export type Maker = z.output<typeof makerSchema>;

/**
 * The maker of what a request prepares. Never with the name of a person: a removed person is in no row. @throws for an
 * actor that has no rights of its own, such as a customer
 */
export function makerOf({ type, id, name }: Actor): Maker {
  if (!isMakerType(type)) throw new Error(`An actor of the type ${type} prepares nothing`);
  return { type, id, ...(type === 'app' && name !== undefined && { name }) };
}

function isMakerType(type: Actor['type']): type is MakerType {
  return (makerTypes as readonly string[]).includes(type);
}
