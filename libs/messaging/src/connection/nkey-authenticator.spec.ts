import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createUser } from '@nats-io/nkeys';
import { nkeyAuthenticator as authenticatorOfClient } from '@nats-io/transport-node';
import { nkeyAuthenticator } from './nkey-authenticator.js';

test('a key and its signature of a nonce are those that the client of NATS makes', () => {
  for (let i = 0; i < 20; i += 1) {
    const seed = createUser().getSeed();
    const nonce = randomBytes(11).toString('base64url');
    const ours = nkeyAuthenticator(new TextDecoder().decode(seed))(nonce);
    const clients = authenticatorOfClient(seed)(nonce) as { nkey: string; sig: string };
    expect(ours).toEqual({ nkey: clients.nkey, sig: clients.sig });
  }
});

test('without a nonce nothing is signed', () => {
  const seed = new TextDecoder().decode(createUser().getSeed());
  expect(nkeyAuthenticator(seed)()).toMatchObject({ sig: '' });
});

test.each(['', 'SU', 'no seed', 'SUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'])(
  'a text that is no seed is refused: "%s"',
  (text) => {
    expect(() => nkeyAuthenticator(text)).toThrow('Compare NATS_NKEY_SEED');
  },
);
