import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/platform';

/** Rejects requests from pages of other sites. Pages cannot set either header. @throws cross_site_request */
export function requireSameOrigin({ headers }: IncomingMessage, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== new URL(baseUrl).origin) throw new AppError('cross_site_request');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('cross_site_request');
}
