import { isNativeError } from 'node:util/types';

/** SQLSTATE connection_failure. */
const connectionFailure = '08006';

/**
 * Throws an error of the driver unchanged when PostgreSQL reported it, and as a connection failure otherwise. Without
 * an SQLSTATE it comes from a name that does not resolve, or from a broken socket or protocol. As a permanent error it
 * would make consumers quarantine events and the audit log reject records.
 */
export function throwDriverError(error: unknown): never {
  if (isSqlState((error as { code?: unknown }).code) || isDatabaseUnavailable(error)) throw error;
  const { message } = error as Error;
  throw Object.assign(new Error(`the connection to the database failed: ${message}`, { cause: error }), {
    code: connectionFailure,
  });
}

function isSqlState(code: unknown): code is string {
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}

/** Name of the unique constraint or index that an insert violated; undefined for any other error. */
export function violatedUnique(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? (constraint ?? '') : undefined;
}

/** SQLSTATE of writes to a standby. */
const readOnly = '25006';

/** SQLSTATE of a transaction that the server ended, because this process was paused (database.ts). */
const idleInTransaction = '25P03';

/**
 * Transient errors of the database: classes 08 (connection), 28 (role or password), 53 (resources: disk, memory,
 * connections) and 57 (operator: shutdown, timeout), and writes to a standby.
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
  return isNativeError(error) && connectionErrors.test(error.message);
}

/** Messages of pg, and of TypeORM after a connection broke, whose errors have no code. */
const connectionErrors = new RegExp(
  [
    'Query runner already released',
    'Connection terminated',
    'not currently accepting connections',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Client has encountered a connection error',
    'Client was closed',
  ].join('|'),
);

const causes: Record<string, string> = {
  '53100': "the database's disk is full",
  '53200': 'the database is out of memory',
  '53300': 'the database has no connection left (max_connections, or the limit of this role)',
  '57014': 'a statement took too long',
  [readOnly]: 'the database takes no writes: it is a standby',
};

/** Why the database is unavailable, for the operator; undefined for any other error. */
export function databaseUnavailableReason(error: unknown): string | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  return serverReason(error) ?? 'the database is unavailable';
}

/** Why the server responds and yet serves nothing, for the operator; undefined for any other error. */
export function serverReason(error: unknown): string | undefined {
  const { code = '' } = (error ?? {}) as { code?: unknown };
  if (!isSqlState(code)) return undefined;
  if (code.startsWith('28')) return "the database refuses this service's role or its password";
  return causes[code];
}

/**
 * Whether the data of the statement may have caused the error, so that statements with other data can succeed: classes
 * 22 (data), 23 (constraints) and 54 (limits), and errors that are not PostgreSQL's. A revoked right, a full disk or a
 * standby affects all data alike.
 */
export function isPermanentError(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: unknown };
  return !isDatabaseUnavailable(error) && (!isSqlState(code) || /^(22|23|54)/.test(code));
}
