import type { CustomerAccount, CustomerSession } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { stack } from '../clients/under-test.ts';
import { origin } from './customer.fixture.ts';
import { UserAgent, type BrowserResponse } from './user-agent.ts';

export interface ShownAccount extends CustomerAccount {
  current: string;
  sessions: CustomerSession[];
}

/** The account page of a customer in one browser, by its JSON routes. */
export class AccountPage {
  readonly api: string;
  readonly agent: UserAgent;
  /** The secret that the page keeps in its memory. */
  session = '';

  constructor(org: string, agent = new UserAgent(stack.baseUrl)) {
    this.api = `/o/${org}/api/account`;
    this.agent = agent;
  }

  static async signedIn(org: string, authenticator: SoftwareAuthenticator): Promise<AccountPage> {
    const page = new AccountPage(org);
    const { status, text, json } = await page.signIn(authenticator);
    if (json.session === undefined) throw new Error(`not signed in to the account: ${status} ${text}`);
    return page;
  }

  async signIn(authenticator: SoftwareAuthenticator): Promise<BrowserResponse> {
    const { json } = await this.agent.post(`${this.api}/options`);
    const response = authenticator.authenticate(json.options as object, { origin });
    const reply = await this.agent.post(`${this.api}/sign-in`, { response });
    this.session = (reply.json.session as string | undefined) ?? '';
    return reply;
  }

  post(path: string, body: object = {}): Promise<BrowserResponse> {
    return this.agent.post(this.api + path, { session: this.session, ...body });
  }

  async read(): Promise<ShownAccount> {
    const { status, text, json } = await this.post('');
    if (status !== 200) throw new Error(`no account: ${status} ${text}`);
    return json as unknown as ShownAccount;
  }

  /** Begins to add a passkey, and creates it. `post('/passkeys/add', …)` sends it. */
  async register(authenticator = new SoftwareAuthenticator()): Promise<object> {
    const { status, text, json } = await this.post('/passkeys/options');
    if (status !== 200) throw new Error(`no options: ${status} ${text}`);
    return authenticator.register(json.options as object, { origin });
  }

  async add(authenticator: SoftwareAuthenticator): Promise<BrowserResponse> {
    return this.post('/passkeys/add', { response: await this.register(authenticator) });
  }
}
