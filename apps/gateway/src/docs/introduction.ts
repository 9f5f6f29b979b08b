/** What the parts of the API reference are about, in their order. */
export const tags: Record<string, string> = {
  OAuth: 'How an app gets a token, and the metadata for clients. Errors are those of RFC 6749, not problem documents.',
  'Customer credentials':
    'Offers to customers, and the customers that the calling app has made offers to. Other apps of the organization ' +
    'never see them.',
  'Admin API: apps':
    'The apps of the organization. Programs manage apps that hold no scope; people with the right to manage grants ' +
    'do the rest.',
  'Admin API: organization': 'The name of the organization, and what its pages show. No program can change it.',
  'Admin API: users': 'The people of the organization: invitations, roles, passkeys, recovery and removal.',
  'Admin API: own account': 'What a person does with their own account. No program can.',
  'Admin API: groups': 'Groups of people and their members. A group gives access to the apps to which it is assigned.',
  'Admin API: entitlements': 'Who can use which app now, and by which path.',
  'Admin API: access requests': 'Access to apps that people request for a time, and who approves or denies it.',
  'Admin API: audit': "The organization's audit log: every action of every caller, reads and denied requests included.",
  'Admin API: analytics': 'What the audit log means in numbers, over time.',
  'Admin API: events': 'Events of customers, credentials and apps; each reader continues from its last position.',
  'Admin API: webhooks': 'Where events are sent, what became of each message, and how to send it again.',
  'Admin API: Shared Signals': 'Receivers of security events, their streams, and what became of each token.',
  'Shared Signals':
    'The transmitter of security events (SSF 1.0 with CAEP and RISC), for receivers: streams, push and poll.',
  'Proof of presence':
    'Proves that a person used the sign-up form: a challenge for the form, and the widget that solves it.',
  Invitation: 'Called by the page of an invitation link. Public: the token of the link is in the body.',
  Claim: 'Called by the page of a claim link. Public: the token of the link is in the body.',
  'OpenID Connect':
    "The organization's issuer: sign-in of customers by any standard client. Errors are those of RFC 6749 and " +
    'OpenID Connect, not problem documents.',
  Reference: 'This description, also as pages.',
  Health: 'For load balancers and supervisors.',
};

/** The text before them, in Markdown. */
export const introduction = [
  '**A first call.** Get a token at `/oauth2/token` with the client ID and client secret of an app, then make ' +
    'an offer. Its `claimUrl` is for the customer; Holdfast sends nothing.',
  '**Samples.** Each call that an app can make has one for curl and one for TypeScript. Those of ' +
    '[`POST /oauth2/token`](#/OAuth/createToken) make the `$TOKEN` and the client `holdfast` that the others use; ' +
    'the client gets tokens itself.',
  '**Conventions.** Times are RFC 3339 in UTC with milliseconds. An absent optional field is left out, never ' +
    'null. Unknown request members and parameters are rejected; responses may get further members. Errors are ' +
    'problem documents (RFC 9457) with a `code` to branch on; [every code is explained](/docs/errors). A browser ' +
    'that navigates to an address outside of the API gets a page instead.',
  '**Reading what was written.** After the response to a change, every read by any app shows it. A read that ' +
    'cannot guarantee this responds 503 with `Retry-After`, never with an old state.',
  '**Rate limits.** Per app, and per address on public routes: responses carry `RateLimit-Policy` and ' +
    '`RateLimit` (draft-ietf-httpapi-ratelimit-headers), a 429 `Retry-After`.',
  '**Order of checks.** Token or session (401), rate limit (429), organization (403), scope (403), parameters and ' +
    'body (400, 422), object (404, the same whether it belongs to another app or does not exist).',
].join('\n\n');
