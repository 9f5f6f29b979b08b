import { OutboundError, unprocessable, type Outbound } from '@holdfast/platform';

interface Called {
  backchannelLogoutUri?: string | null | undefined;
  jwksUri?: string | undefined;
}

/**
 * Refuses addresses that auth would never call (ZITADEL's CVE-2026-27945: a target on localhost), so that the caller
 * sees the mistake when registering them. The IP addresses to which a name resolves are checked at each call.
 */
export function requireCallable(outbound: Outbound, { backchannelLogoutUri, jwksUri }: Called): void {
  const issues = Object.entries({ backchannelLogoutUri, jwksUri }).flatMap(([member, uri]) => {
    if (uri === undefined || uri === null) return [];
    try {
      outbound.check(uri);
      return [];
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const detail =
        `${error.message} ` +
        'For a test or an address of your own, name its origin in OUTBOUND_ALLOW of directory and auth.';
      return [{ pointer: `#/${member}`, detail }];
    }
  });
  if (issues.length > 0) throw unprocessable(issues);
}
