import type { z } from 'zod';
import { AppError, seal, unseal, type Keys } from '@holdfast/platform';

/** The scope that a page token is bound to: it is invalid for another app, route or filter. */
export interface PageScope {
  org: string;
  app: string;
  route: string;
  filter: object;
}

function contextOf({ org, app, route, filter }: PageScope): string {
  return JSON.stringify(['page', org, app, route, filter]);
}

/** Encrypts and authenticates a cursor, so that clients can neither depend on its form nor change it. */
export function sealPageToken([key]: Keys, cursor: unknown, scope: PageScope): string {
  return seal(key, JSON.stringify(cursor), contextOf(scope)).toString('base64url');
}

/** @returns the cursor. @throws invalid_page_token when the token was changed or belongs to another scope */
export function openPageToken<Schema extends z.ZodType>(
  keys: Keys,
  token: string,
  scope: PageScope,
  schema: Schema,
): z.output<Schema> {
  try {
    const sealed = Buffer.from(token, 'base64url');
    // Several base64url strings decode to the same bytes; only the canonical one is valid.
    if (sealed.toString('base64url') !== token) throw new Error('not canonical');
    return schema.parse(JSON.parse(unseal(keys, sealed, contextOf(scope)).toString('utf8')));
  } catch {
    throw new AppError('invalid_page_token', undefined, {
      errors: [{ parameter: 'next_page_token', detail: 'was changed, or belongs to another app, list or filter' }],
    });
  }
}
