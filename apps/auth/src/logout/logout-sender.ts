import { Inject, Injectable } from '@nestjs/common';
import { AppError, Outbound, OutboundError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import { issuerOf, SigningKeys } from '../keys/signing-keys.js';
import { issuerPath } from '../request-context/issuer-paths.js';
import { LogoutNotifications } from './logout-notifications.js';
import { logoutToken } from './logout-token.js';

export interface DueNotification {
  id: string;
  org: string;
  client_id: string;
  payload: Buffer;
  attempts: number;
  expires_at: Date;
}

export const responseTimeoutMs = 5000;

/** Notifies one app of one revoked session. */
@Injectable()
export class LogoutSender {
  constructor(
    private readonly clients: ClientRegistry,
    private readonly keys: SigningKeys,
    private readonly notifications: LogoutNotifications,
    private readonly outbound: Outbound,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Undefined when the app is notified or has no logout URI; otherwise the reason. It names no customer and may be
   * logged.
   */
  async send(notification: DueNotification): Promise<string | undefined> {
    const { org, client_id: clientId } = notification;
    try {
      const app = (await this.clients.find(clientId))?.app;
      if (app?.backchannelLogoutUri === undefined) return undefined;
      const { keys } = await this.keys.load(issuerOf(org));
      const key = keys.find(({ alg }) => alg === (app.idTokenAlg ?? 'RS256'));
      if (!key) return 'there is no signing key';
      const token = await logoutToken(
        this.config.BASE_URL + issuerPath(org),
        clientId,
        this.notifications.unseal(notification),
        key,
      );
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await this.outbound.request(app.backchannelLogoutUri, {
        headers,
        body: new URLSearchParams({ logout_token: token }).toString(),
        timeoutMs: responseTimeoutMs,
      });
      return undefined;
    } catch (error) {
      if (error instanceof OutboundError) return error.message;
      return error instanceof AppError ? (error.detail ?? error.code) : String(error);
    }
  }
}
