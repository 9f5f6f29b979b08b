/**
 * Whether the browser is part of another app, such as a mail app or a messenger. Passkeys cannot be created there, or
 * belong to that app. Android marks web views with `; wv)`, iOS leaves out `Safari/`, and some apps name themselves.
 */
export function isInAppBrowser(userAgent: string): boolean {
  const isAndroidWebView = /Android.*; wv\)/.test(userAgent);
  const isAppleWebView = /\b(iPhone|iPad|iPod)\b.*AppleWebKit/.test(userAgent) && !/\bSafari\//.test(userAgent);
  return isAndroidWebView || isAppleWebView || /\b(FBAN|FBAV|Instagram|Line|MicroMessenger)\b/.test(userAgent);
}
