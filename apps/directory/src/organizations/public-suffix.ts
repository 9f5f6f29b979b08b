import { getPublicSuffix } from 'tldts';

/**
 * Whether anybody can register names directly below this one, such as `com`, `co.uk` or `github.io`
 * (https://publicsuffix.org). Browsers decide by a list of their own; this check shows the operator a mistake before
 * customers meet it.
 */
export function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}
