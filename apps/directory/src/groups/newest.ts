/** Sorts after every id. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * The cursor of a first page, newest first: it sorts before every row. With it, the first page has the statement and
 * the plan of the others: without a condition on the order, PostgreSQL would rather read and sort all rows.
 */
export const newest = { at: 'infinity', id: lastId };
