import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { invitePerson, type Role } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { callApi } from '../clients/client.ts';
import type { Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { signIn } from '../sign-in/customer.fixture.ts';
import { UserAgent, type BrowserResponse } from '../sign-in/user-agent.ts';
import type { Stack } from '../stack/stack.ts';

/** A person of an organization who has accepted their invitation, and the authenticator with their passkey. */
export interface Person {
  org: string;
  id: string;
  email: string;
  name: string;
  authenticator: SoftwareAuthenticator;
}

/** In the stack under test, unless another one is given. */
export async function newPerson(org: string, roles: readonly Role[] = [], on: Stack = stack): Promise<Person> {
  const email = `${randomUUID()}@${org}.example`;
  const name = `Person ${email.slice(0, 8)}`;
  const { user, invitationUrl } = await on.request(invitePerson, { email, name, roles: [...roles] }, org);
  return { org, id: user.id, email, name, authenticator: await acceptInvitation(org, invitationUrl, on.baseUrl) };
}

/** Accepts an invitation with a new passkey. */
export async function acceptInvitation(
  org: string,
  invitationUrl: string,
  baseUrl = stack.baseUrl,
): Promise<SoftwareAuthenticator> {
  const token = new URL(invitationUrl).hash.slice(1);
  const agent = new UserAgent(baseUrl);
  const authenticator = new SoftwareAuthenticator();
  const { json } = await agent.post(`/o/${org}/api/invitation/options`, { token });
  const response = authenticator.register(json.options as object, { origin: new URL(baseUrl).origin });
  const { status, text } = await agent.post(`/o/${org}/api/invitation/complete`, { token, response });
  if (status !== 200) throw new Error(`the invitation was not accepted: ${status} ${text}`);
  return authenticator;
}

/** Signs a person in to the hub; resolves to the response that sets the cookie of the session. */
export async function signInToHub(
  { org, authenticator }: Pick<Person, 'org' | 'authenticator'>,
  agent = new UserAgent(stack.baseUrl),
  query = '',
): Promise<{ agent: UserAgent; response: BrowserResponse }> {
  const { location } = await agent.go(`/hub/${org}/sign-in${query}`);
  const back = await signIn(agent, location, authenticator, { origin: new URL(agent.base).origin });
  return { agent, response: await agent.go(back.location) };
}

/** A person at the hub, whose page calls the Admin API with the cookie of the session. */
export class HubUser {
  readonly person: Person;
  readonly #stack: Stack;
  readonly #cookie: string;

  private constructor(person: Person, on: Stack, cookie: string) {
    this.person = person;
    this.#stack = on;
    this.#cookie = cookie;
  }

  static async signIn(person: Person, on: Stack = stack): Promise<HubUser> {
    const { agent } = await signInToHub(person, new UserAgent(on.baseUrl));
    const cookie = agent.cookies.find(({ name }) => name.endsWith(`${person.org}-hub`));
    if (!cookie) throw new Error('the sign-in to the hub set no cookie');
    return new HubUser(person, on, `${cookie.name}=${cookie.value}`);
  }

  /** A new person with these roles, who is signed in. */
  static async make(org: string, roles: readonly Role[] = [], on: Stack = stack): Promise<HubUser> {
    return HubUser.signIn(await newPerson(org, roles, on), on);
  }

  /** Name and value of the cookie of the session. */
  get cookie(): string {
    return this.#cookie;
  }

  get id(): string {
    return this.person.id;
  }

  /** @param path below `/o/{shortId}/api/admin` */
  call<Body = Problem>(method: string, path: string, json?: unknown, headers: OutgoingHttpHeaders = {}) {
    return this.#send<Body>(method, `/admin${path}`, json, headers);
  }

  /** @param path below `/o/{shortId}/api/credentials` */
  customers<Body = Problem>(method: string, path: string, json?: unknown, headers: OutgoingHttpHeaders = {}) {
    return this.#send<Body>(method, `/credentials${path}`, json, headers);
  }

  #send<Body>(method: string, path: string, json: unknown, headers: OutgoingHttpHeaders) {
    const { origin } = new URL(this.#stack.baseUrl);
    return callApi<Body>(this.#stack, method, `/o/${this.person.org}/api${path}`, {
      ...(json !== undefined && { json }),
      headers: { cookie: this.#cookie, origin, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }
}
