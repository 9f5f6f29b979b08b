import { describedText } from '../docs/described.js';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Members of a form for a client that authenticates with `private_key_jwt`. */
export const assertionMembers = {
  client_assertion_type: describedText('With `client_assertion`: its type', { const: assertionType }),
  client_assertion: describedText(
    'Of an app that authenticates with its private key, in place of a secret: a JWT that the key has signed (RFC 7523)',
  ),
};

/** The header of a request whose token shall be bound to a key, or is. */
export const dpopHeader = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description: 'A proof (RFC 9449) of the key to which the tokens shall be bound',
  schema: { type: 'string' },
};
