import { getPublicSuffix } from 'tldts';

/**
 * Whether anybody can register names directly below this one, such as `com`, `co.uk` or `github.io`
 * (https://publicsuffix.org). Browsers have a list of their own, which decides; this one tells an operator of a mistake
 * before customers meet it.
 */
export function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}
