/** SQLSTATE connection_failure. */
const connectionFailure = '08006';

/**
 * Throws an error of the driver as it is when PostgreSQL reported it, and as a connection failure otherwise: without an
 * SQLSTATE it comes from a name that does not resolve, or from a socket or a protocol that broke. Taken for an error of
 * the data, it would make consumers quarantine events and the audit log reject records.
 */
export function throwDriverError(error: unknown): never {
  if (isSqlState((error as { code?: unknown }).code) || isDatabaseUnavailable(error)) throw error;
  const { message } = error as Error;
  throw Object.assign(new Error(`the connection to the database failed: ${message}`, { cause: error }), {
    code: connectionFailure,
  });
}

function isSqlState(code: unknown): boolean {
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}

/** Name of the unique constraint or index that an insert ran into, or undefined for any other error. */
export function violatedUnique(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? (constraint ?? '') : undefined;
}

/** Of a standby, or of a primary that is being given up. */
const readOnly = '25006';

/** The server ended a transaction in which nothing came for too long: this process stood still (database.ts). */
const idleInTransaction = '25P03';

/**
 * Classes 08 (connection), 28 (role or password), 53 (resources: disk, memory, connections), 57 (operator: shutdown,
 * timeout); read-only.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: string };
  if (
    code === readOnly ||
    code === idleInTransaction ||
    /^(08|28|53|57)...$/.test(code) ||
    /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_)/.test(code)
  )
    return true;
  // TypeORM gives up a query runner whose connection broke.
  return /Query runner already released|Connection terminated|not currently accepting connections|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed/.test(
    error instanceof Error ? error.message : '',
  );
}

const causes: Record<string, string> = {
  '53100': "the database's disk is full",
  '53200': 'the database is out of memory',
  '53300': 'the database has no connection left (max_connections, or the limit of this role)',
  '57014': 'a statement took too long',
  [readOnly]: 'the database takes no writes: it is a standby',
};

/** Why the database cannot be used, in words for whoever operates it; undefined for any other error. */
export function databaseUnavailableReason(error: unknown): string | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  const { code = '' } = error as { code?: string };
  if (code.startsWith('28')) return "the database refuses this service's role or its password";
  return causes[code] ?? 'the database is unavailable';
}

/**
 * Whether the statement's own data may be at fault, so that other data would fare better: classes 22 (data), 23
 * (constraints), 54 (limits), and errors that are not PostgreSQL's. A right that was revoked, a full disk and a server
 * that only reads refuse everything alike.
 */
export function isPermanentError(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: unknown };
  return !isDatabaseUnavailable(error) && (!isSqlState(code) || /^(22|23|54)/.test(code as string));
}
