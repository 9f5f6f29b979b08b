import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { errors, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider';
import { languageOfHeader } from '@holdfast/contracts';
import { AppError, mediaTypeOf, newId, readBody } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { ClientRecord } from '../clients/client-record.js';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import { accountsOf, personScopes } from '../organization-issuer/accounts.js';
import { IssuerAudit } from '../organization-issuer/audit/issuer-audit.js';
import { Customers } from '../organization-issuer/customers.js';
import { userCodeOf } from '../organization-issuer/device-flow.js';
import type { Interaction } from '../organization-issuer/interactions/sign-in-binding.js';
import type { Issuer } from '../organization-issuer/issuers.js';
import { grantSeconds } from '../organization-issuer/lifetimes.js';
import { People } from '../organization-issuer/people.js';
import { issuerPath, routes, signInPagePath } from '../request-context/issuer-paths.js';
import {
  beginIssuerRequest,
  humanOf,
  originOf,
  type HttpContext,
  type IssuerRequest,
} from '../request-context/issuer-request.js';
import { requireSameOrigin } from '../request-context/same-site.js';
import { DeviceCodes, type DeviceApproval, type WaitingDevice } from '../sessions/device-codes.js';
import { devicePage, type DevicePage } from './device-pages.js';

/** A request for one of the pages on which the code of a device is entered. */
interface DeviceRequest {
  issuer: Issuer;
  request: IncomingMessage;
  response: ServerResponse;
  /** The sign-in that has ended; undefined at the page for the code. */
  uid: string | undefined;
  /** Of the address, with its question mark. */
  query: string;
}

interface DeviceContext extends DeviceRequest {
  ctx: HttpContext;
  issuerRequest: IssuerRequest;
}

/** Of a form with a code. */
const maxFormBytes = 1024;

interface Login {
  accountId: string;
  acr: string;
  amr: readonly string[];
  version: number;
  passkey?: string;
}

/**
 * The pages on which somebody enters the code of a device and signs it in (RFC 8628 §3.3). Each device requires the
 * passkey, since an open session would let a link alone sign a stranger's device in (§5.4). The browser itself is not
 * signed in. Until the passkey is verified nothing is stored.
 */
@Injectable()
export class DeviceSignIn {
  constructor(
    private readonly devices: DeviceCodes,
    private readonly clients: ClientRegistry,
    private readonly customers: Customers,
    private readonly people: People,
    private readonly audit: IssuerAudit,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws AppError method_not_allowed, cross_site_request, unsupported_media_type, payload_too_large, unavailable */
  async handle(request: DeviceRequest): Promise<void> {
    const { issuer, uid } = request;
    const ctx = issuer.provider.createContext(request.request, request.response) as unknown as HttpContext;
    const issuerRequest = beginIssuerRequest(ctx, `/o/{shortId}${routes.code_verification}${uid ? '/{uid}' : ''}`);
    const context = { ...request, ctx, issuerRequest };
    const page = await this.pageOf(context);
    if (page !== undefined) this.respond(context, page);
  }

  /** Undefined when the response is a redirect. */
  private pageOf(context: DeviceContext): Promise<DevicePage | undefined> {
    const { request, uid, query } = context;
    if (request.method === 'GET')
      return uid === undefined
        ? this.show(context, new URLSearchParams(query).get('user_code'))
        : this.finish(context, uid);
    if (request.method === 'POST' && uid === undefined) return this.submit(context);
    throw new AppError('method_not_allowed');
  }

  /** With a code in the address, of a link or a QR code (RFC 8628 §3.3.1), it is shown to be compared. */
  private async show(context: DeviceContext, typed: string | null): Promise<DevicePage> {
    if (typed === null) return { name: 'enter' };
    const found = await this.findDevice(context, typed);
    return found ? confirmation(found) : this.unknownCode(context, typed);
  }

  private async submit(context: DeviceContext): Promise<DevicePage | undefined> {
    const { request, issuer } = context;
    requireSameOrigin(request, this.config.BASE_URL);
    if (mediaTypeOf(request.headers['content-type']) !== 'application/x-www-form-urlencoded')
      throw new AppError('unsupported_media_type', 'Send the parameters form-encoded.');
    const form = new URLSearchParams((await readBody(request, { maxBytes: maxFormBytes })).toString('utf8'));
    const typed = form.get('user_code') ?? '';
    const found = await this.findDevice(context, typed);
    if (!found) return this.unknownCode(context, typed);
    switch (form.get('decision')) {
      case 'continue':
        return this.begin(context, found.device);
      case 'deny':
        await this.devices.deny(issuer.organization.shortId, found.device);
        await this.audit.recordSignInError(issuer.organization.shortId, context.issuerRequest, 'cancelled');
        return { name: 'denied' };
      default:
        return confirmation(found);
    }
  }

  private async begin({ issuer, request, response }: DeviceContext, { userCode, params }: WaitingDevice) {
    const uid = await issuer.signIns.beginForDevice(request, response, { userCode, params });
    const location = `${issuerPath(issuer.organization.shortId)}${signInPagePath}${uid}`;
    response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
    return undefined;
  }

  /** The browser returns from the sign-in page. */
  private async finish(context: DeviceContext, uid: string): Promise<DevicePage> {
    const { issuer, request, response } = context;
    const org = issuer.organization.shortId;
    const interaction = await issuer.signIns.find(request, response, uid);
    if (interaction?.deviceCode === undefined || !interaction.result || !(await isFirst(interaction)))
      return this.ended(context);
    const found = await this.findDevice(context, interaction.deviceCode);
    if (!found) return this.ended(context);
    const { login } = interaction.result as { login?: Login };
    if (!login) {
      // The sign-in page has recorded why.
      await this.devices.deny(org, found.device);
      return { name: 'denied' };
    }
    const approval = await this.approvalOf(context, found, login);
    if (!approval) {
      await this.devices.deny(org, found.device);
      return { name: 'denied' };
    }
    const record = this.audit.recordOfSignIn(context.issuerRequest);
    // Somebody else was faster, or the sign-in was revoked meanwhile.
    if (!(await this.devices.approve(org, found.device, approval, record))) return this.ended(context);
    await this.audit.append(org, record);
    return { name: 'approved', app: nameOf(found.client) };
  }

  private async ended({ issuer, issuerRequest }: DeviceContext): Promise<DevicePage> {
    await this.audit.recordSignInError(issuer.organization.shortId, issuerRequest, 'unknown_sign_in');
    return { name: 'ended' };
  }

  /** Undefined when the customer or person may not sign in to the app any more. */
  private async approvalOf(
    { issuer, ctx, issuerRequest }: DeviceContext,
    { device, client: { app } }: FoundDevice,
    login: Login,
  ): Promise<DeviceApproval | undefined> {
    const org = issuer.organization.shortId;
    const { accountId, acr, amr } = login;
    const findAccount = accountsOf(org, this.customers, this.people);
    if (!(await findAccount(ctx as unknown as KoaContextWithOIDC, accountId, login))) {
      await this.audit.recordSignInError(org, issuerRequest, issuerRequest.denial ?? 'no_live_credential');
      return undefined;
    }
    const authTime = Math.floor(Date.now() / 1000);
    const granted = ['openid', ...(app.audience === 'people' ? Object.keys(personScopes) : [])];
    const requested = new Set(String(device.params.scope).split(' '));
    const grant: AdapterPayload = {
      ...{ iat: authTime, exp: authTime + grantSeconds, kind: 'Grant', accountId, clientId: app.clientId },
      openid: { scope: granted.join(' ') },
    };
    return {
      ...{ accountId, acr, amr, authTime, origin: originOf(ctx) ?? {} },
      scope: granted.filter((scope) => requested.has(scope)).join(' '),
      grant: { id: newId(), payload: grant, seconds: grantSeconds },
    };
  }

  /**
   * The device that shows this code, if its app may still sign in on devices. What is disabled or changed meanwhile
   * ends the sign-ins that it began.
   */
  private async findDevice({ issuer, issuerRequest }: DeviceContext, typed: string): Promise<FoundDevice | undefined> {
    const org = issuer.organization.shortId;
    const userCode = userCodeOf(typed);
    const device = userCode === undefined ? undefined : await this.devices.find(org, userCode);
    if (!device) return undefined;
    const client = await this.clients.find(device.clientId);
    if (!client || client.refused || client.app.org !== org || !client.app.deviceAuthorization) return undefined;
    issuerRequest.client = client;
    return { device, client };
  }

  private async unknownCode({ issuer, issuerRequest }: DeviceContext, typed: string): Promise<DevicePage> {
    await this.audit.recordSignInError(issuer.organization.shortId, issuerRequest, 'unknown_user_code');
    return { name: 'enter', unknownCode: typed.slice(0, 20) };
  }

  private respond(
    { issuer: { organization }, request, response, issuerRequest }: DeviceContext,
    page: DevicePage,
  ): void {
    const { html, policy } = devicePage(page, {
      organization,
      language: languageOfHeader(request.headers['accept-language']),
      action: issuerPath(organization.shortId) + routes.code_verification,
      isPerson: humanOf(issuerRequest) === 'person',
    });
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policy,
        // With no-referrer a browser sends `Origin: null` with the form, which is refused.
        'referrer-policy': 'same-origin',
        'x-request-id': issuerRequest.info.id,
      })
      .end(html);
  }
}

interface FoundDevice {
  device: WaitingDevice;
  client: ClientRecord;
}

function confirmation({ device: { userCode }, client }: FoundDevice): DevicePage {
  return { name: 'confirm', app: nameOf(client), userCode };
}

function nameOf({ app }: ClientRecord): string {
  return app.displayName ?? app.name;
}

/** Whether no other request has completed the sign-in before: of concurrent ones, one is the first. */
async function isFirst(interaction: Interaction): Promise<boolean> {
  try {
    await interaction.destroy();
    return true;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return false;
    throw error;
  }
}
