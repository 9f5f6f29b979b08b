import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/platform';

/** Refuses what a browser sends for another site; both headers are out of a page's reach. @throws cross_site_request */
export function requireSameOrigin({ headers }: IncomingMessage, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== new URL(baseUrl).origin) throw new AppError('cross_site_request');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('cross_site_request');
}
