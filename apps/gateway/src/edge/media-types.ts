/** Media types with their charset, as values of Content-Type. */
export const mediaTypes = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  png: 'image/png',
  javascript: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  problem: 'application/problem+json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
} as const;
