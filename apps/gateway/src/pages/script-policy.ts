/**
 * Content-Security-Policy of pages that run our scripts: own origin only, no inline script, no frames. No form of them
 * is submitted, so no form action is allowed.
 */
export function scriptPolicy({ inlineStyles = false, connections = true, trustedTypes = false } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    `connect-src ${connections ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Scripts may not make markup or scripts of texts (Trusted Types).
    ...(trustedTypes ? ["require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
  ].join('; ');
}
