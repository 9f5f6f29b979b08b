import { OutboundError, unprocessable, type Outbound } from '@holdfast/platform';

/**
 * Refuses an address that auth would never call (ZITADEL's CVE-2026-27945: a target on localhost), so that the operator
 * sees the mistake when registering it. The IP addresses to which its name resolves are checked at each call.
 */
export function requireCallable(outbound: Outbound, backchannelLogoutUri: string | null | undefined): void {
  if (backchannelLogoutUri === undefined || backchannelLogoutUri === null) return;
  try {
    outbound.check(backchannelLogoutUri);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw unprocessable([
      {
        pointer: '#/backchannelLogoutUri',
        detail:
          `${error.message} ` +
          'For a test or an address of your own, name its origin in OUTBOUND_ALLOW of directory and auth.',
      },
    ]);
  }
}
