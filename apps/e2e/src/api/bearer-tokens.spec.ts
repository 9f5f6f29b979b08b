// Specification §5: the token in the Authorization header (RFC 6750), malformed headers and forged tokens.
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { basic, type Client } from '../clients/client.ts';
import { closeConnections, exchange, type Problem, type Reply } from '../clients/http.ts';
import { claimsOf, encodePart, headerOf } from '../clients/jwt.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { platformPublicKey } from '../stack/nats.ts';
import { inParallel } from '../stack/parallel.ts';

let shop: Client;
let token: string;
beforeAll(async () => {
  ({ shop } = await newClients({ shop: {} }));
  token = await shop.newToken();
});
afterAll(closeConnections);

type Headers = Record<string, string | string[]>;

function list(headers: Headers, query = '', gateway = 0): Promise<Reply> {
  return exchange<Problem>({
    origin: stack.gateways[gateway]!,
    path: `${shop.api}/credentials/subjects${query}`,
    headers,
  });
}

const parts = () => token.split('.') as [string, string, string];

async function expectDenied(bad: string): Promise<void> {
  for (const gateway of stack.gateways.keys()) {
    const { status, body, headers } = await list({ authorization: `Bearer ${bad}` }, '', gateway);
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'invalid_token' });
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="${stack.baseUrl}", error="invalid_token", ` +
        `resource_metadata="${stack.baseUrl}/.well-known/oauth-protected-resource"`,
    );
  }
}

describe('the Authorization header', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is accepted with the scheme %s', async (scheme) => {
    expect((await list({ authorization: `${scheme} ${token}` })).status).toBe(200);
  });

  it('is answered with a challenge without an error when it is missing', async () => {
    const { status, body, headers } = await list({});
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing_token' });
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="${stack.baseUrl}", resource_metadata="${stack.baseUrl}/.well-known/oauth-protected-resource"`,
    );
  });

  const malformed: [string, (token: string) => Headers, string?][] = [
    ['two spaces', (t) => ({ authorization: `Bearer  ${t}` })],
    ['a tab', (t) => ({ authorization: `Bearer\t${t}` })],
    ['a tab and a space', (t) => ({ authorization: `Bearer \t${t}` })],
    ['a no-break space', (t) => ({ authorization: `Bearer\u00a0${t}` })],
    ['no space', (t) => ({ authorization: `Bearer${t}` })],
    ['a colon', (t) => ({ authorization: `Bearer: ${t}` })],
    ['an equals sign', (t) => ({ authorization: `Bearer=${t}` })],
    ['quotes', (t) => ({ authorization: `Bearer "${t}"` })],
    ['something behind the token', (t) => ({ authorization: `Bearer ${t} x` })],
    ['a comma behind the token', (t) => ({ authorization: `Bearer ${t},` })],
    ['two tokens', (t) => ({ authorization: `Bearer ${t} ${t}` })],
    ['two tokens with a comma', (t) => ({ authorization: `Bearer ${t}, Bearer ${t}` })],
    ['the token twice', (t) => ({ authorization: [`Bearer ${t}`, `Bearer ${t}`] })],
    ['the token and another one', (t) => ({ authorization: [`Bearer ${t}`, 'Bearer x'] })],
    ['another one and the token', (t) => ({ authorization: ['Bearer x', `Bearer ${t}`] })],
    ['Basic and the token', (t) => ({ authorization: [basic(shop.app), `Bearer ${t}`] })],
    ['the token and Basic', (t) => ({ authorization: [`Bearer ${t}`, basic(shop.app)] })],
    ['no scheme', (t) => ({ authorization: t })],
    ['the scheme alone', () => ({ authorization: 'Bearer' })],
    ['the scheme and a space', () => ({ authorization: 'Bearer ' })],
    ['nothing', () => ({ authorization: '' })],
    ['the scheme twice', (t) => ({ authorization: `Bearer Bearer ${t}` })],
    ['Basic in place of Bearer', () => ({ authorization: basic(shop.app) })],
    ['the token as Basic', (t) => ({ authorization: `Basic ${t}` })],
    ['the scheme Token', (t) => ({ authorization: `Token ${t}` })],
    ['the scheme DPoP', (t) => ({ authorization: `DPoP ${t}` })],
    ['the scheme JWT', (t) => ({ authorization: `JWT ${t}` })],
    ['Proxy-Authorization', (t) => ({ 'proxy-authorization': `Bearer ${t}` })],
    ['X-Authorization', (t) => ({ 'x-authorization': `Bearer ${t}` })],
    ['X-Forwarded-Authorization', (t) => ({ 'x-forwarded-authorization': `Bearer ${t}` })],
    ['X-Access-Token', (t) => ({ 'x-access-token': t })],
    ['a cookie', (t) => ({ cookie: `access_token=${t}; token=${t}; authorization=Bearer ${t}` })],
    [
      'identity headers of a proxy',
      () => ({
        'x-holdfast-org': shop.app.org,
        'x-holdfast-actor': shop.app.clientId,
        'x-user': shop.app.clientId,
        'x-client-id': shop.app.clientId,
        'x-org': shop.app.org,
      }),
    ],
    ['the query', () => ({}), '?access_token='],
    ['the query, under another name', () => ({}), '?token='],
    ['the query, as the header is called', () => ({}), '?authorization=Bearer%20'],
  ];

  it.each(malformed)('is denied when it is malformed or elsewhere: %s', async (_, headersOf, ...[query]) => {
    for (const gateway of stack.gateways.keys()) {
      const { status, body } = await list(headersOf(token), query === undefined ? '' : query + token, gateway);
      expect(status).toBe(401);
      expect(['missing_token', 'invalid_token']).toContain(body.code);
    }
  });

  it('is the only source: a token in a form is not read', async () => {
    const { status, body } = await exchange<Problem>({
      origin: stack.gateways[0]!,
      method: 'POST',
      path: `${shop.api}/credentials/offers`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}`,
    });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing_token' });
  });

  it('is rejected with 400 when the query has a token as well', async () => {
    expect((await list({ authorization: `Bearer ${token}` }, `?access_token=${token}`)).status).toBe(400);
  });

  it.each(['a=b', ';;;', '=', 'a', '%00', `x=${'y'.repeat(4000)}`, '__Host-holdfast-acme=1', '\u00ff'])(
    'is neither replaced nor affected by the cookie %s',
    async (cookie) => {
      expect((await list({ cookie })).status).toBe(401);
      expect((await list({ cookie, authorization: `Bearer ${token}` })).status).toBe(200);
    },
  );

  it.each([
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'x-original-method',
    'x-forwarded-prefix',
    'x-forwarded-for',
    'x-forwarded-host',
    'forwarded',
  ])('is required for the path of the request line, whatever %s contains', async (name) => {
    const { status } = await exchange({
      origin: stack.gateways[0]!,
      path: `${shop.api}/credentials/subjects`,
      headers: { [name]: name.includes('method') ? 'OPTIONS' : '/healthz' },
    });
    expect(status).toBe(401);
  });
});

describe('a token', () => {
  it('is denied when any one character of it is changed', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const change = (i: number, by: number) =>
      token.slice(0, i) + alphabet[(alphabet.indexOf(token[i]!) + by) % 64]! + token.slice(i + 1);
    const indexes = [...token].flatMap((c, i) => (c === '.' ? [] : [i]));
    const changed = [
      ...indexes.map((i) => change(i, 1)),
      change(token.length - 1, 2),
      change(token.length - 1, 15),
      change(token.length - 1, 16),
    ];
    const statuses = await inParallel(changed, 16, async (t) => (await list({ authorization: `Bearer ${t}` })).status);
    expect(
      statuses.flatMap((status, i) => (status === 401 ? [] : [`${status} for character ${i} of ${token.length}`])),
    ).toEqual([]);
  });

  const forgeries: [string, () => string][] = [
    ['nothing but dots', () => '..'],
    ['one dot', () => '.'],
    ['three dots', () => '...'],
    ['one part', () => parts()[0]],
    ['two parts', () => parts().slice(0, 2).join('.')],
    ['no signature', () => `${parts().slice(0, 2).join('.')}.`],
    ['four parts', () => `${token}.${parts()[2]}`],
    ['five parts, as if encrypted', () => `${token}.${parts()[1]}.${parts()[2]}`],
    ['no header', () => `.${parts()[1]}.${parts()[2]}`],
    ['no payload', () => `${parts()[0]}..${parts()[2]}`],
    ['three words', () => 'not.a.token'],
    ['three numbers', () => '1.2.3'],
    ['a truncated signature', () => token.slice(0, -4)],
    ['a longer signature', () => `${token}AAAA`],
    ['a signature with padding', () => `${token}==`],
    ['a signature of zero bytes', () => `${parts()[0]}.${parts()[1]}.${Buffer.alloc(64).toString('base64url')}`],
    ['a random signature', () => `${parts()[0]}.${parts()[1]}.${randomBytes(64).toString('base64url')}`],
    [
      'a signature in standard base64',
      () => `${parts()[0]}.${parts()[1]}.${Buffer.from(parts()[2], 'base64url').toString('base64')}`,
    ],
    ['a space inside', () => token.replace('.', '. ')],
    ['a malleated signature (S + L)', () => `${parts()[0]}.${parts()[1]}.${malleated(parts()[2])}`],
    ['100,000 characters', () => `${'a'.repeat(6000)}.${'b'.repeat(3000)}.${'c'.repeat(3000)}`],
  ];
  it.each(forgeries)('is denied: %s', async (_, forge) => expectDenied(forge()));

  it.each<[string, object]>([
    ['another organization', { org: 'globex' }],
    ['another scope', { scope: 'audit:read' }],
    ['another expiration', { exp: 9_999_999_999 }],
    ['another client', { client_id: 'app_x', sub: 'app_x' }],
    ['a newer version', { client_version: 99 }],
  ])('is denied when it claims %s with its old signature', async (_, claims) => {
    await expectDenied(`${parts()[0]}.${encodePart({ ...claimsOf(token), ...claims })}.${parts()[2]}`);
  });

  it("is denied with another token's signature", async () => {
    const other = await shop.newToken();
    await expectDenied(`${parts()[0]}.${parts()[1]}.${other.split('.')[2]}`);
    await expectDenied(`${parts()[0]}.${other.split('.')[1]}.${parts()[2]}`);
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', null, 0, ['EdDSA']])(
    'is denied when it is unsigned (alg %j)',
    async (alg) => {
      const head = encodePart({ ...headerOf(token), alg });
      await expectDenied(`${head}.${parts()[1]}.`);
      await expectDenied(`${head}.${parts()[1]}.${parts()[2]}`);
    },
  );
});

describe('a token that was signed with another key', () => {
  const own = generateKeyPairSync('ed25519');
  const ownJwk = own.publicKey.export({ format: 'jwk' });

  function signed(header: object, claims: object, key: KeyObject, algorithm: string | null = null): string {
    const input = `${encodePart(header)}.${encodePart(claims)}`;
    const isEllipticCurve = algorithm === 'sha256' && key.asymmetricKeyType === 'ec';
    const signingKey = isEllipticCurve ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key;
    return `${input}.${sign(algorithm, Buffer.from(input), signingKey).toString('base64url')}`;
  }
  const claims = () => claimsOf(token);
  const kid = () => headerOf(token).kid;

  it.each<[string, () => object]>([
    ['with the right kid', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid() })],
    ['with the other name of the algorithm', () => ({ alg: 'Ed25519', typ: 'at+jwt', kid: kid() })],
    ['without a kid', () => ({ alg: 'EdDSA', typ: 'at+jwt' })],
    ['with its own kid', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: 'mine' })],
    ['with a kid that is a path', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: '../../../../dev/null' })],
    ['with a kid that is SQL', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: "' UNION SELECT 'x" })],
    ['with a kid that every object has', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: '__proto__' })],
    ['with a kid that is no string', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: { toString: 'x' } })],
    ['with its key (jwk)', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), jwk: ownJwk })],
    ['with its key (jwk) and no kid', () => ({ alg: 'EdDSA', typ: 'at+jwt', jwk: ownJwk })],
    [
      'with the address of its key (jku)',
      () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), jku: 'http://127.0.0.1:9/keys.json' }),
    ],
    [
      'with a certificate (x5u, x5c)',
      () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), x5u: 'http://127.0.0.1:9/cert.pem', x5c: ['AAAA'] }),
    ],
    ['with a critical extension', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), crit: ['exp'], exp: 1 })],
    ['with an unencoded payload', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), crit: ['b64'], b64: false })],
    ['as an ID token', () => ({ alg: 'EdDSA', typ: 'JWT', kid: kid() })],
    ['without a type', () => ({ alg: 'EdDSA', kid: kid() })],
  ])('is denied %s', async (_, header) => expectDenied(signed(header(), claims(), own.privateKey)));

  it('is denied when the key is of another type', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    await expectDenied(signed({ alg: 'RS256', typ: 'at+jwt', kid: kid() }, claims(), rsa, 'sha256'));
    await expectDenied(signed({ alg: 'ES256', typ: 'at+jwt', kid: kid() }, claims(), ec, 'sha256'));
    await expectDenied(signed({ alg: 'EdDSA', typ: 'at+jwt', kid: kid() }, claims(), rsa, 'sha256'));
  });

  it("is denied when the platform's public key is the HMAC secret", async () => {
    const jwk = await platformPublicKey(stack);
    expect(jwk.kid).toBe(kid());
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const secrets: (string | Buffer)[] = [
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwk),
      jwk.x!,
      Buffer.from(jwk.x!, 'base64url'),
      jwk.kid!,
      '',
    ];
    for (const alg of ['HS256', 'HS512']) {
      for (const secret of secrets) {
        const input = `${encodePart({ alg, typ: 'at+jwt', kid: kid() })}.${encodePart(claims())}`;
        await expectDenied(
          `${input}.${createHmac(alg === 'HS256' ? 'sha256' : 'sha512', secret)
            .update(input)
            .digest('base64url')}`,
        );
      }
    }
  });

  it("is denied when the private key is derived from the platform's public key", async () => {
    const jwk = await platformPublicKey(stack);
    const d = createHash('sha256').update(jwk.x!).digest('base64url');
    const derived = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x: jwk.x! }, format: 'jwk' });
    await expectDenied(signed({ alg: 'EdDSA', typ: 'at+jwt', kid: kid() }, claims(), derived));
  });
});

/** The same signature with S + L: accepted by verifiers that do not bound S (RFC 8032 §5.1.7). */
function malleated(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const order = (1n << 252n) + 27742317777372353535851937790883648493n;
  let s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  for (let i = 32; i < 64; i += 1) {
    bytes[i] = Number(s & 0xffn);
    s >>= 8n;
  }
  return bytes.toString('base64url');
}
