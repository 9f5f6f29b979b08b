/**
 * Content-Security-Policy of pages that run our scripts: own origin only, no inline script, no frames. No form of them
 * is submitted, so no form action is allowed.
 */
export function scriptPolicy({ inlineStyles = false } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
