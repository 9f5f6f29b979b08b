/** Errors of the pages on which passkeys are made and used, a part of the catalogue (`../errors.ts#errorCatalogue`). */
export const passkeyErrors = {
  unknown_claim: {
    status: 404,
    title: 'This link claims nothing here',
    help:
      'It is damaged, belongs to another organization, or its customer was erased. Ask the organization ' +
      'for a new one.',
  },
  claim_spent: {
    status: 410,
    title: 'This link has been used',
    help:
      'The credential was claimed with it. If that was not the customer, the organization can revoke it ' +
      'and offer again.',
  },
  claim_expired: { status: 410, title: 'This link has expired', help: 'Ask the organization for a new one.' },
  claim_withdrawn: {
    status: 410,
    title: 'This link was withdrawn',
    help: 'The organization took the offer back or replaced it by a later one.',
  },
  ceremony_expired: {
    status: 409,
    title: 'The passkey ceremony took too long, or began in another browser',
    help:
      'Request new options and complete them once, in the same browser: the cookie that came with them ' +
      'must come along.',
  },
  passkey_invalid: {
    status: 422,
    title: 'The passkey could not be verified',
    help:
      'The response of the authenticator does not match: it must verify the user, on this site, with ' +
      'these options.',
  },
  unknown_passkey_link: {
    status: 404,
    title: 'This link is not known',
    help: 'It is damaged or incomplete, or another one has been made since. Make a new one on the account page.',
  },
  passkey_link_used: {
    status: 410,
    title: 'A passkey was made with this link',
    help: 'Confirm it on the account page where the link was made, or make a new link there.',
  },
  passkey_link_expired: {
    status: 410,
    title: 'This link has expired',
    help: 'It works for ten minutes. Make a new one on the account page.',
  },
  account_session_ended: {
    status: 401,
    title: 'The account page is signed out',
    help: 'Its session has ended, or began in another browser. Sign in again with a passkey.',
  },
  unknown_sign_in: {
    status: 404,
    title: 'This sign-in is over',
    help: 'It has expired, was finished, or began in another browser. Go back to the app and sign in again.',
  },
} as const;
