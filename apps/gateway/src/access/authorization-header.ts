import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/platform';

export interface PresentedToken {
  /** DPoP (RFC 9449) requires a proof beside the token. */
  scheme: 'bearer' | 'dpop';
  token: string;
}

/** RFC 6750 §2.1, RFC 9449 §7.1: scheme, one space, b64token. A laxer form could mean something else to a proxy. */
const form = /^(bearer|dpop) ([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of the Authorization header; no other part of a request is searched for one. @throws missing_token,
 * invalid_token
 */
export function presentedToken(request: Pick<IncomingMessage, 'rawHeaders'>): PresentedToken {
  const values = headerValues(request, 'authorization');
  if (values.length > 1) throw malformed('Send one Authorization header.');
  const [header] = values;
  if (header === undefined || !/^(bearer|dpop)(\s|$)/i.test(header)) throw new AppError('missing_token');
  const [, scheme, token] = form.exec(header) ?? [];
  if (!scheme || !token) throw malformed('The header must be "Bearer" or "DPoP", one space and the token.');
  return { scheme: scheme.toLowerCase() as PresentedToken['scheme'], token };
}

/** Every value of a header, also when it was sent several times. */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name);
}

function malformed(detail: string): AppError {
  return new AppError('invalid_token', detail);
}
