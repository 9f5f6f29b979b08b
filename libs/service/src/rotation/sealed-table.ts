import { statement, type Statement } from '@holdfast/data';

export const batchSize = 500;

/** A table with a column that seal() has made, and the context of each row, which its key columns determine. */
export interface SealedTable {
  name: string;
  column: string;
  /** How the column is stored: as bytes by default. */
  encoding?: 'base64';
  /** The primary key: each column with its PostgreSQL type, in the order of an index. */
  key: Record<string, keyof typeof first>;
  /** Further columns that the context needs. */
  further?: string[];
  /** Condition of the rows that have something encrypted. */
  where?: string;
  /**
   * The id of the current key, of a table whose rows name their key in `encryption_key_id` and that has an index on
   * this column and `key`. Such rows are counted and found at any time, without reading the others.
   */
  keyId?: Buffer;
  contextOf: (row: never) => string;
}

export type SealedRow = Record<string, unknown> & { sealed: Buffer | string };

/** The statements that encrypt a column of a table again. A table may have several, so each names its column. */
export interface SealedTableStatements {
  /** The columns of `batch` after which the next batch begins, and their first values. */
  order: { names: string[]; start: unknown[] };
  /** A batch of rows after a position. Reads only, since nearly all rows have the current key. */
  batch: Statement;
  /** Locks some of them. SKIP LOCKED: it locks many rows and must never wait, or it could deadlock with an erasure. */
  lock: Statement;
  write: Statement;
  /** How many rows name another key. */
  count: Statement | undefined;
}

/** Sorts before every value of the type. */
const first = { text: '', uuid: '00000000-0000-0000-0000-000000000000', bytea: Buffer.alloc(0) };

export function sealedTableStatements(table: SealedTable): SealedTableStatements {
  const { name, column, where = 'true', further = [], keyId } = table;
  const order = Object.entries(keyId ? { encryption_key_id: 'bytea' as const, ...table.key } : table.key);
  const orderNames = order.map(([one]) => one);
  const position = order.map(([, type], i) => `$${i + 1}::${type}`).join(', ');
  const batch = (condition: string) =>
    `SELECT ${[...orderNames, ...further].join(', ')}, ${column} AS sealed FROM ${name}
     WHERE ${where} AND (${orderNames.join(', ')}) > (${position}) AND ${condition}
     ORDER BY ${orderNames.join(', ')} LIMIT ${batchSize}`;

  const key = Object.entries(table.key);
  const names = key.map(([one]) => one);
  const of = (alias: string) => names.map((one) => `${alias}.${one}`).join(', ');
  const arrays = key.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
  const sealedType = table.encoding ? 'text' : 'bytea';
  const assignments = [`${column} = r.sealed`, ...(keyId ? [`encryption_key_id = $${key.length + 2}`] : [])];
  return {
    order: { names: orderNames, start: order.map(([, type]) => first[type]) },
    batch: statement(
      `sealed_${name}_${column}_batch`,
      keyId
        ? `(${batch(`encryption_key_id < $${order.length + 1}`)}) UNION ALL
           (${batch(`encryption_key_id > $${order.length + 1}`)})
           ORDER BY ${orderNames.join(', ')} LIMIT ${batchSize}`
        : batch('true'),
    ),
    lock: statement(
      `sealed_${name}_${column}_lock`,
      `SELECT ${[of('t'), ...further.map((one) => `t.${one}`)].join(', ')}, t.${column} AS sealed
       FROM unnest(${arrays}) AS r (${names.join(', ')})
       JOIN ${name} t ON (${of('t')}) = (${of('r')}) FOR NO KEY UPDATE OF t SKIP LOCKED`,
    ),
    write: statement(
      `sealed_${name}_${column}_write`,
      `UPDATE ${name} t SET ${assignments.join(', ')}
       FROM unnest(${arrays}, $${key.length + 1}::${sealedType}[]) AS r (${names.join(', ')}, sealed)
       WHERE (${of('t')}) = (${of('r')})`,
    ),
    count: keyId && statement(`sealed_${name}_${column}_count`, countOthers(name, where)),
  };
}

/** One range on each side of the current key, so that it is an index scan however many rows have this key. */
function countOthers(name: string, where: string): string {
  const [less, more] = ['<', '>'].map(
    (side) => `(SELECT count(*) FROM ${name} WHERE encryption_key_id ${side} $1 AND ${where})`,
  );
  return `SELECT (${less} + ${more})::int AS count`;
}
