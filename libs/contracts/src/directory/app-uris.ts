import { z } from 'zod';

/** What is wrong with a URI, as a sentence without its subject; undefined when it is valid. */
type Rule = (uri: URL, text: string) => string | undefined;

/**
 * A URI that must satisfy a rule. The rule sees a parsed URI alone: zod goes on to further checks after a failed one,
 * so a rule that parses by itself would throw instead of rejecting, and the caller would get `internal`.
 */
function uri(maxLength: number, example: string, rule: Rule) {
  return z
    .string()
    .max(maxLength)
    .superRefine((text, context) => {
      const message = faultOf(text, example, rule);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ format: 'uri' });
}

function faultOf(text: string, example: string, rule: Rule): string | undefined {
  // The parser drops blanks and line breaks, and URIs are compared letter by letter.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return `must be a whole URI such as ${example}`;
  if (text.includes('*'))
    return 'must not have a wildcard: register each URI in full, since they are compared letter by letter';
  return rule(new URL(text), text);
}

/** RFC 8252 §7.1: a scheme of a native app's own, a domain name backwards, such as `com.example.app:/in`. */
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

/** RFC 6454, as a browser sends it. */
export const webOrigin = uri(300, 'https://shop.example', ({ origin }, text) =>
  origin === text ? undefined : 'must be an origin such as https://shop.example, without a path',
);

/** Where we will call: whether an address may be called at all is looked at there, and again at every call. */
export const backchannelLogoutUri = uri(
  2000,
  'https://shop.example/logged-out',
  ({ protocol, username, password }, text) =>
    /^https?:$/.test(protocol) && !text.includes('#') && !username && !password
      ? undefined
      : 'must be an https address without user info and fragment',
);

/**
 * The origins of these URIs, each once. A native app's own scheme has none: URL says "null", which a sandboxed page
 * sends too.
 */
export function webOrigins(uris: readonly string[]): string[] {
  const web = uris.filter((text) => URL.canParse(text) && /^https?:/.test(text));
  return [...new Set(web.map((text) => new URL(text).origin))];
}
