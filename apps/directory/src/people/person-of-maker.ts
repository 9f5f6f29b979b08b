import type { Maker } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';

const hold = statement('person_of_maker', 'SELECT id FROM person WHERE id = $1 FOR KEY SHARE');

/**
 * The person who makes something, for a column that refers to them: their removal waits, and leaves no id behind. Null
 * when an app or the operator makes it, or when the person has just been removed.
 */
export async function personOfMaker(sql: Sql, { type, id }: Maker): Promise<string | null> {
  if (type !== 'person') return null;
  const [person] = await sql.rows<{ id: string }>(hold, [id]);
  return person?.id ?? null;
}
