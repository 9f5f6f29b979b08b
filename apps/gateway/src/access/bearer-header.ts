import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/platform';

/** RFC 6750 §2.1: `Bearer`, one space, b64token. A laxer form could mean something else to a proxy in front of us. */
const bearer = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of the Authorization header; no other part of a request is searched for one. @throws missing_token,
 * invalid_token
 */
export function bearerToken({ rawHeaders }: IncomingMessage): string {
  const values = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'authorization');
  if (values.length > 1) throw malformed('Send one Authorization header.');
  const [header] = values;
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) throw new AppError('missing_token');
  const token = bearer.exec(header)?.[1];
  if (!token) throw malformed('The header must be "Bearer", one space and the token.');
  return token;
}

function malformed(detail: string): AppError {
  return new AppError('invalid_token', detail);
}
