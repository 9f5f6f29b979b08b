import type { KoaContextWithOIDC } from 'oidc-provider';
import { knownLanguage, languageOfHeader, type Language } from '@holdfast/contracts';

/**
 * The language that the app requests by `ui_locales` (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2), if the
 * pages have it.
 */
export function requestedLanguage(uiLocales: unknown): Language | undefined {
  return typeof uiLocales === 'string' ? knownLanguage(uiLocales.split(' ')) : undefined;
}

/** The language of a page of the issuer: that of the app, or else the browser's. */
export function languageOf(ctx: KoaContextWithOIDC): Language {
  return requestedLanguage(ctx.oidc.params?.ui_locales) ?? languageOfHeader(ctx.get('accept-language'));
}
