import type { KoaContextWithOIDC } from 'oidc-provider';
import { languageOfHeader, languageOf as languageOfTags, languages, type Language } from '@holdfast/contracts';

/**
 * The language that the app asks for by `ui_locales` (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2), if the
 * pages have it.
 */
export function requestedLanguage(uiLocales: unknown): Language | undefined {
  const tags = typeof uiLocales === 'string' ? uiLocales.split(' ') : [];
  const known = tags.filter((tag) => languages.some((language) => tag.toLowerCase().split('-')[0] === language));
  return known.length > 0 ? languageOfTags(known) : undefined;
}

/** The language of a page of the issuer: that of the app, or else the browser's. */
export function languageOf(ctx: KoaContextWithOIDC): Language {
  return requestedLanguage(ctx.oidc.params?.ui_locales) ?? languageOfHeader(ctx.get('accept-language'));
}
