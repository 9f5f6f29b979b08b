/** Texts about keys, sessions, and proofs of the audit log. */
export const enSecurity = {
  issuerKeys: {
    title: 'Keys and passkeys',
    rpId: 'Domain of the passkeys (RP ID)',
    rpIdBody:
      'A passkey works on one domain only, its RP ID. Devices offer it on the pages of that domain, and its domain ' +
      'can never change.',
    current: 'New passkeys are for',
    ofDeployment: '{{domain}}, the domain of this Holdfast',
    earlier: 'Also accepted, until you end the move',
    domain: 'Domain',
    customers: 'Passkeys of customers',
    people: 'Passkeys of people',
    move: 'Move to another domain',
    moveBody:
      'First the new domain must allow it: it contains {{host}}, or it serves {{address}} with the text below. Then ' +
      'new passkeys are for that domain, and those from before still work. Offer again to your customers, so that ' +
      'each makes a new passkey, and add one to your own account. End the move when few of the earlier are left.',
    newDomain: 'New domain',
    newDomainBody: 'Such as example.com; empty for the domain of this Holdfast',
    begin: 'Begin the move',
    document: 'What the domain serves',
    end: 'End the move',
    endTitle: 'End the move from {{domain}}?',
    endBody:
      'Passkeys of the earlier domain stop working at once: {{customers}} of customers and {{people}} of people. ' +
      'Those who have no other passkey need a recovery offer or a new link.',
    signing: 'Signing keys',
    signingBody:
      'Apps verify tokens with these keys, which they load from the issuer. A new key is published first, and signs ' +
      'when apps had time to load it.',
    id: 'Key ID',
    algorithm: 'Algorithm',
    since: 'Signs from',
    next: 'published, signs later',
    signingNow: 'signs',
    verifying: 'signs no more, still verifies',
    rotate: 'Rotate the keys',
    rotateBody:
      'New keys are published now, and sign in an hour. Earlier ones stay valid until their last token has expired. ' +
      'Apps that load keys from the issuer notice nothing. If a key has leaked, ask the operator to retire it.',
  },
  sessions: {
    title: 'Where you are signed in',
    body: 'Browsers, and apps that stay signed in. This browser is among them.',
    none: 'Nowhere at the moment',
    apps: 'Apps',
    browser: 'Browser',
    app: 'App',
    where: 'Where',
    signedIn: 'Signed in',
    ends: 'Ends',
    end: 'Sign out',
    endAll: 'Sign out everywhere',
    endAllBody: 'Ends all of your sessions and tokens, in this browser too. You then sign in again.',
  },
  authentication: {
    title: 'Authentication',
    body: 'How the app proves at the token endpoint who it is, and what its tokens are.',
    method: 'Method',
    client_secret_basic: 'Client secret',
    private_key_jwt: 'Private key of its own (private_key_jwt)',
    none: 'None: it is a public client',
    keys: 'Public keys',
    dpop: 'Tokens bound to a key (DPoP)',
    required: 'required',
    notRequired: 'not required',
    format: 'Access tokens',
    opaque: 'opaque, for introspection',
    jwt: 'JWT, which APIs verify themselves',
    edit: 'Change',
    save: 'Save',
    jwks: 'Public keys as a JSON Web Key Set',
    jwksBody: 'Such as {"keys":[…]}, without private members; or the address below',
    notJson: 'This is no JSON.',
    jwksUri: 'Address of the keys (jwks_uri)',
    jwksUriBody: 'An https address from which Holdfast loads them',
    requireDpop: 'Only tokens that are bound to a key of the app (DPoP)',
    ends:
      'Another method, or another address of the keys, ends the tokens of the app. A private key revokes all of its ' +
      'client secrets.',
  },
  checkpoints: {
    title: 'Checkpoints',
    body:
      'A checkpoint is the signed size and root of the log. A person who keeps one can prove later that no entry ' +
      'from before was changed or removed.',
    newest: 'Newest checkpoint',
    note: 'Text of the checkpoint',
    keyLines: 'One key a line',
    size: 'Entries',
    signed: 'Signed by',
    consistency: 'Compared with the checkpoint that this browser kept',
    first: 'This browser kept none before. It keeps this one, and compares with it when you come back.',
    continues: 'The log continues the kept checkpoint: none of its {{size}} entries was changed or removed.',
    same: 'The log is the one that this browser kept, with no entry more.',
    broken: 'The log does not continue the kept checkpoint',
    brokenBody:
      'Entries from before were changed or removed, or the signature is wrong. Keep both checkpoints, and tell those ' +
      'who are responsible for the log.',
    keepNow: 'Keep the newest one instead',
    witnesses: 'Witnesses',
    witnessesBody: 'Independent servers that sign a checkpoint only when it continues the one they saw before.',
    noWitness: 'No witness has signed a checkpoint of this log. The operator configures witnesses.',
    cosigned: '{{size}} entries, with signatures of: {{names}}. The hub has no keys of witnesses and verifies none.',
    verifierKeys: 'Verifier keys',
    verifierKeysBody: 'Keep them outside of Holdfast, so that you can verify without trusting this server.',
  },
  firstSteps: {
    title: 'First steps',
    done: 'done',
    open: 'to do',
    app: 'Create an app',
    offer: 'Offer a credential to the first customer',
    claim: 'The first customer claims it',
    owner: 'Invite a second owner, so that nobody is locked out',
    passkey: 'Add a second passkey to your account',
    hide: 'Hide',
  },
};
