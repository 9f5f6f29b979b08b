// What @nats-io/nkeys uses of tweetnacl, by node:crypto: the same Ed25519 (RFC 8032). Within jest's VM contexts each
// signature of the JavaScript implementation takes tens of milliseconds, which was a third of the CPU of the
// integration tests: every connection to nats-server signs one.
const { Buffer } = require('node:buffer');
const { createPrivateKey, createPublicKey, randomBytes, sign, verify } = require('node:crypto');

const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const privateKeyOf = (seed) =>
  createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
const publicKeyOf = (bytes) =>
  createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' });

function fromSeed(seed) {
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(x, 'base64url'));
  // The form of tweetnacl: the seed, then the public key.
  return { publicKey, secretKey: new Uint8Array(Buffer.concat([seed, publicKey])) };
}

const detached = (message, secretKey) => new Uint8Array(sign(null, message, privateKeyOf(secretKey.subarray(0, 32))));
detached.verify = (message, signature, publicKey) => verify(null, message, publicKeyOf(publicKey), signature);

module.exports = {
  randomBytes: (length) => new Uint8Array(randomBytes(length)),
  sign: { keyPair: { fromSeed }, detached },
};
