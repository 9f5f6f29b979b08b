export interface BoundedRows {
  /** Selects the rows, with a LIMIT of its own: it bounds how many are read. */
  query: string;
  /** Columns of `query` that are returned. */
  columns: string;
  /** Size of a row, in columns of `query`. `octet_length` of a large value does not read the value. */
  bytes: string;
  /** Of the rows, in columns of `query`. */
  order: string;
  maxBytes: number;
}

/**
 * A SELECT of the first rows of a query: as many as have `maxBytes` together, and at least one. Values of the others
 * that PostgreSQL stores out of line are neither read nor sent, so that a page of large rows costs as much as one of
 * small rows. Each row has `read`, the number of rows of the query: when it is larger than the number of returned rows,
 * others were left out.
 */
export function withinBytes({ query, columns, bytes, order, maxBytes }: BoundedRows): string {
  return `SELECT ${columns}, read FROM (
     SELECT q.*, row_number() OVER ordered AS n, sum(${bytes}) OVER ordered AS bytes_so_far,
         count(*) OVER ()::int AS read
       FROM (${query}) q WINDOW ordered AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)) bounded
   WHERE n = 1 OR bytes_so_far <= ${maxBytes} ORDER BY ${order}`;
}
