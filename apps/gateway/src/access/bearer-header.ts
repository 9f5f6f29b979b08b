import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/platform';

/** RFC 6750 §2.1: `Bearer`, one space, b64token. Nothing laxer: a proxy in front may read it differently. */
const bearer = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of the Authorization header; it is taken from nowhere else. */
export function bearerToken({ rawHeaders }: IncomingMessage): string {
  const given = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'authorization');
  if (given.length > 1) throw malformed('Send one Authorization header.');
  const [header] = given;
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) throw new AppError('missing_token');
  const token = bearer.exec(header)?.[1];
  if (!token) throw malformed('The header must be "Bearer", one space and the token.');
  return token;
}

function malformed(detail: string): AppError {
  return new AppError('invalid_token', detail);
}
