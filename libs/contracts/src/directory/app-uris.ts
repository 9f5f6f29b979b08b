import { z } from 'zod';

/** Returns what is wrong with a URI, such as `must be …`; undefined if it is valid. */
type Rule = (uri: URL, text: string) => string | undefined;

/**
 * A URI that must satisfy a rule. The rule gets a parsed URI. Zod runs further checks after a failed one, so a rule
 * that parses the text itself would throw, and the caller would get `internal`.
 */
function uri(maxLength: number, example: string, rule: Rule) {
  return z
    .string()
    .max(maxLength)
    .superRefine((text, context) => {
      const message = issueOf(text, example, rule);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ format: 'uri' });
}

function issueOf(text: string, example: string, rule: Rule): string | undefined {
  // The URL parser drops spaces and line breaks, but registered URIs are compared character by character.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return `must be a whole URI such as ${example}`;
  // RFC 3986 has no other characters. Programs disagree on what a backslash separates, and a host in another script may
  // look like a known one: in its ASCII form (`xn--…`) everybody sees what it is.
  if (!/^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/.test(text))
    return 'must have only characters of RFC 3986: write a host in another script in its ASCII form (xn--…)';
  if (text.includes('*'))
    return 'must not have a wildcard: register each URI in full, since they are compared letter by letter';
  return rule(new URL(text), text);
}

/** A private-use URI scheme of a native app (RFC 8252 §7.1): a reversed domain name, such as `com.example.app:/in`. */
export function isPrivateUse(text: string): boolean {
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\//.test(text);
}

export const redirectUri = uri(
  2000,
  'https://shop.example/callback',
  ({ protocol, hostname, username, password }, text) => {
    const onThisMachine = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
    const valid =
      !username && !password && !text.includes('#') && (protocol === 'https:' || onThisMachine || isPrivateUse(text));
    return valid
      ? undefined
      : 'must be https (http only on localhost; native apps may have a scheme of their own with a dot), ' +
          'without user info and fragment';
  },
);

/** An address for people, which Holdfast only hands on. */
export const httpsUri = uri(2000, 'https://shop.example/help', ({ protocol, username, password }) =>
  protocol === 'https:' && !username && !password ? undefined : 'must be an https address without user info',
);

/** An origin as browsers send it (RFC 6454). */
export const webOrigin = uri(300, 'https://shop.example', ({ origin }, text) =>
  origin === text ? undefined : 'must be an origin such as https://shop.example, without a path',
);

/** Auth sends logout tokens to it. Whether the address may be called is checked at registration and at every call. */
export const backchannelLogoutUri = uri(
  2000,
  'https://shop.example/logged-out',
  ({ protocol, username, password }, text) =>
    /^https?:$/.test(protocol) && !text.includes('#') && !username && !password
      ? undefined
      : 'must be an https address without user info and fragment',
);

/**
 * The distinct origins of these URIs. Private-use schemes are skipped: URL gives them the origin "null", which
 * sandboxed pages send too.
 */
export function webOrigins(uris: readonly string[]): string[] {
  const web = uris.filter((text) => URL.canParse(text) && /^https?:/.test(text));
  return [...new Set(web.map((text) => new URL(text).origin))];
}
