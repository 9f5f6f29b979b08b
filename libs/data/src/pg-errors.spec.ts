import { describe, expect, it } from '@jest/globals';
import { databaseUnavailableReason, isDatabaseUnavailable, isPermanentError, throwDriverError } from './pg-errors.js';

const coded = (code: string, message = ''): Error => Object.assign(new Error(message), { code });

describe('an error of PostgreSQL', () => {
  it.each([
    ['53100', "the database's disk is full"],
    ['53200', 'the database is out of memory'],
    ['53300', 'the database has no connection left (max_connections, or the limit of this role)'],
    ['28P01', "the database refuses this service's role or its password"],
    ['28000', "the database refuses this service's role or its password"],
    ['57014', 'a statement took too long'],
    ['57P03', 'the database is unavailable'],
    ['25006', 'the database takes no writes: it is a standby'],
    ['08006', 'the database is unavailable'],
    ['ECONNREFUSED', 'the database is unavailable'],
  ])('with code %s is transient, with the reason: %s', (code, reason) => {
    const error = coded(code);
    expect([databaseUnavailableReason(error), isDatabaseUnavailable(error), isPermanentError(error)]).toEqual([
      reason,
      true,
      false,
    ]);
  });

  it.each(['22001', '23514', '54000'])('with code %s is permanent', (code) => {
    const error = coded(code);
    expect([databaseUnavailableReason(error), isDatabaseUnavailable(error), isPermanentError(error)]).toEqual([
      undefined,
      false,
      true,
    ]);
  });
});

describe('an error that the driver throws', () => {
  const thrown = (error: Error): unknown => {
    try {
      return throwDriverError(error);
    } catch (caught) {
      return caught;
    }
  };

  it.each([
    ['a name that does not resolve', coded('ENOTFOUND', 'getaddrinfo ENOTFOUND db')],
    ['an unreachable network', coded('ENETUNREACH', 'connect ENETUNREACH')],
    ['a protocol error', new Error('Received unexpected commandComplete message from backend.')],
    ['a failed TLS handshake', new Error('There was an error establishing an SSL connection')],
  ])('without an SQLSTATE (%s) is a connection failure that keeps its message', (_, error) => {
    const marked = thrown(error);
    expect([isDatabaseUnavailable(marked), isPermanentError(marked)]).toEqual([true, false]);
    expect((marked as Error).message).toContain(error.message);
  });

  it.each([
    ['an SQLSTATE', coded('23505')],
    ['a known code of Node.js', coded('ECONNREFUSED')],
    ['a known message', new Error('Connection terminated unexpectedly')],
  ])('with %s stays as it is', (_, error) => {
    expect(thrown(error)).toBe(error);
  });
});
