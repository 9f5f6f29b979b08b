import { Controller, Inject } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { signSecurityEvents, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { issuerPath } from '../request-context/issuer-paths.js';
import { issuerOf, SigningKeys } from './signing-keys.js';

/** The CAEP Interoperability Profile 1.0 demands this algorithm. */
const alg = 'RS256';

/** Signs the security events of signals (docs/adr/0079-auth-signs-security-events.md). */
@Controller()
export class SignSecurityEventsHandler {
  constructor(
    private readonly keys: SigningKeys,
    @Inject(CONFIG) private readonly config: Pick<Config, 'BASE_URL'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(signSecurityEvents)
  async handle(
    { events }: RequestOf<typeof signSecurityEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof signSecurityEvents>> {
    const jwk = (await this.keys.load(issuerOf(org))).keys.find((key) => key.alg === alg);
    if (!jwk) throw unavailable(`${org} has no ${alg} key`, 1, { dependency: 'auth', cause: 'unavailable' });
    const key = await importJWK(jwk, alg);
    const issuer = this.config.BASE_URL + issuerPath(org);
    const issuedAt = Math.floor(this.clock.now().getTime() / 1000);
    const tokens = events.map((claims) =>
      new SignJWT({ ...claims, iss: issuer, iat: issuedAt })
        .setProtectedHeader({ alg, kid: jwk.kid, typ: 'secevent+jwt' })
        .sign(key),
    );
    return { tokens: await Promise.all(tokens) };
  }
}
