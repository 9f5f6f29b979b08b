import type { z } from 'zod';
import { AppError, seal, unseal } from '@holdfast/platform';

/** To what a page token is bound: it is worth nothing for another app, route or filter. */
export interface PageScope {
  org: string;
  app: string;
  route: string;
  filter: object;
}

function contextOf({ org, app, route, filter }: PageScope): string {
  return JSON.stringify(['page', org, app, route, filter]);
}

/** Seals a cursor: opaque, so that nobody builds on its form, and authenticated, so that nobody edits it. */
export function sealPageToken(key: Buffer, cursor: unknown, scope: PageScope): string {
  return seal(key, JSON.stringify(cursor), contextOf(scope)).toString('base64url');
}

/** The cursor again; `invalid_page_token` when a bit, the app or a filter differs. */
export function openPageToken<Schema extends z.ZodType>(
  key: Buffer,
  token: string,
  scope: PageScope,
  schema: Schema,
): z.output<Schema> {
  try {
    const sealed = Buffer.from(token, 'base64url');
    // base64url has several spellings of the same bytes; only ours counts.
    if (sealed.toString('base64url') !== token) throw new Error('not canonical');
    return schema.parse(JSON.parse(unseal(key, sealed, contextOf(scope)).toString('utf8')));
  } catch {
    throw new AppError('invalid_page_token', undefined, {
      errors: [{ parameter: 'next_page_token', detail: 'was changed, or belongs to another app, list or filter' }],
    });
  }
}
