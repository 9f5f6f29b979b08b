// Specification §5: the token in the Authorization header (RFC 6750), and every way to bend it.
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
import { basic, type Client } from './client.ts';
import { closeConnections, exchange, type Problem, type Reply } from './http.ts';
import { claimsOf, encodePart, headerOf } from './jwt.ts';
import { platformPublicKey } from './nats.ts';
import { newClients, stack } from './under-test.ts';

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

async function refused(bad: string): Promise<void> {
  for (const gateway of stack.gateways.keys()) {
    const { status, body, headers } = await list({ authorization: `Bearer ${bad}` }, '', gateway);
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'invalid_token' });
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="${stack.baseUrl}", error="invalid_token", resource_metadata="${stack.baseUrl}/.well-known/oauth-protected-resource"`,
    );
  }
}

describe('the header', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('may write its scheme %s', async (scheme) => {
    expect((await list({ authorization: `${scheme} ${token}` })).status).toBe(200);
  });

  it('that is missing is answered with a challenge and no error', async () => {
    const { status, body, headers } = await list({});
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing_token' });
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="${stack.baseUrl}", resource_metadata="${stack.baseUrl}/.well-known/oauth-protected-resource"`,
    );
  });

  const tricks: [string, (token: string) => Headers, string?][] = [
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

  it.each(tricks)('with %s does not let anybody in', async (_, headersOf, ...[query]) => {
    for (const gateway of stack.gateways.keys()) {
      const { status, body } = await list(headersOf(token), query === undefined ? '' : query + token, gateway);
      expect(status).toBe(401);
      expect(['missing_token', 'invalid_token']).toContain(body.code);
    }
  });

  it('is the only place: a token in a form is not read', async () => {
    const { status, body } = await exchange<Problem>({
      origin: stack.gateways[0]!,
      method: 'POST',
      path: `${shop.api}/credentials/offers`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}`,
    });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing_token' });
  });

  it('and a token in the query besides is refused', async () => {
    expect((await list({ authorization: `Bearer ${token}` }, `?access_token=${token}`)).status).toBe(400);
  });

  it.each(['a=b', ';;;', '=', 'a', '%00', `x=${'y'.repeat(4000)}`, '__Host-holdfast-acme=1', '\u00ff'])(
    'is not replaced by the cookie %s, nor spoilt by it',
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
  ])('%s does not lead elsewhere', async (name) => {
    const { status } = await exchange({
      origin: stack.gateways[0]!,
      path: `${shop.api}/credentials/subjects`,
      headers: { [name]: name.includes('method') ? 'OPTIONS' : '/healthz' },
    });
    expect(status).toBe(401);
  });
});

describe('a token', () => {
  it('that is bent in any one character is refused', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const bend = (i: number, by: number) =>
      token.slice(0, i) + alphabet[(alphabet.indexOf(token[i]!) + by) % 64]! + token.slice(i + 1);
    const places = [...token].map((c, i) => ({ c, i })).filter(({ c }) => c !== '.');
    const bent = [
      ...places.map(({ i }) => bend(i, 1)),
      bend(token.length - 1, 2),
      bend(token.length - 1, 15),
      bend(token.length - 1, 16),
    ];
    const statuses = await Promise.all(bent.map(async (t) => (await list({ authorization: `Bearer ${t}` })).status));
    expect(
      statuses.flatMap((status, i) => (status === 401 ? [] : [`${status} for character ${i} of ${token.length}`])),
    ).toEqual([]);
  }, 60_000);

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
    ['words', () => 'not.a.token'],
    ['numbers', () => '1.2.3'],
    ['a signature cut short', () => token.slice(0, -4)],
    ['a signature made longer', () => `${token}AAAA`],
    ['a signature with padding', () => `${token}==`],
    ['a signature of nothing', () => `${parts()[0]}.${parts()[1]}.${Buffer.alloc(64).toString('base64url')}`],
    ['a signature of chance', () => `${parts()[0]}.${parts()[1]}.${randomBytes(64).toString('base64url')}`],
    [
      'its parts in standard base64',
      () => `${parts()[0]}.${parts()[1]}.${Buffer.from(parts()[2], 'base64url').toString('base64')}`,
    ],
    ['blanks inside', () => token.replace('.', '. ')],
    ['a signature of another order of the curve', () => `${parts()[0]}.${parts()[1]}.${malleated(parts()[2])}`],
    ['100,000 characters', () => `${'a'.repeat(6000)}.${'b'.repeat(3000)}.${'c'.repeat(3000)}`],
  ];
  it.each(forgeries)('that is %s is refused', async (_, forge) => refused(forge()));

  it.each<[string, object]>([
    ['another organization', { org: 'globex' }],
    ['another scope', { scope: 'audit:read' }],
    ['another end', { exp: 9_999_999_999 }],
    ['another client', { client_id: 'app_x', sub: 'app_x' }],
    ['a newer version', { client_version: 99 }],
  ])('that claims %s under its old signature is refused', async (_, claims) => {
    await refused(`${parts()[0]}.${encodePart({ ...claimsOf(token), ...claims })}.${parts()[2]}`);
  });

  it("that has another token's signature is refused", async () => {
    const other = await shop.newToken();
    await refused(`${parts()[0]}.${parts()[1]}.${other.split('.')[2]}`);
    await refused(`${parts()[0]}.${other.split('.')[1]}.${parts()[2]}`);
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', null, 0, ['EdDSA']])(
    'that is signed by nobody (alg %j) is refused',
    async (alg) => {
      const head = encodePart({ ...headerOf(token), alg });
      await refused(`${head}.${parts()[1]}.`);
      await refused(`${head}.${parts()[1]}.${parts()[2]}`);
    },
  );
});

describe('a token of our own making', () => {
  const own = generateKeyPairSync('ed25519');
  const ownJwk = own.publicKey.export({ format: 'jwk' });

  function signed(header: object, claims: object, key: KeyObject, algorithm: string | null = null): string {
    const input = `${encodePart(header)}.${encodePart(claims)}`;
    return `${input}.${sign(algorithm, Buffer.from(input), algorithm === 'sha256' && key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key).toString('base64url')}`;
  }
  const claims = () => claimsOf(token);
  const kid = () => headerOf(token).kid;

  it.each<[string, () => object]>([
    ['with the right kid', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid() })],
    ['with the other name of the algorithm', () => ({ alg: 'Ed25519', typ: 'at+jwt', kid: kid() })],
    ['without a kid', () => ({ alg: 'EdDSA', typ: 'at+jwt' })],
    ['with its own kid', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: 'mine' })],
    ['with a kid that is a path', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: '../../../../dev/null' })],
    ['with a kid that is a statement', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: "' UNION SELECT 'x" })],
    ['with a kid of every object', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: '__proto__' })],
    ['with a kid that is no text', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: { toString: 'x' } })],
    ['bringing its key', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), jwk: ownJwk })],
    ['bringing its key only', () => ({ alg: 'EdDSA', typ: 'at+jwt', jwk: ownJwk })],
    [
      'naming where its key is',
      () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), jku: 'http://127.0.0.1:9/keys.json' }),
    ],
    [
      'naming a certificate',
      () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), x5u: 'http://127.0.0.1:9/cert.pem', x5c: ['AAAA'] }),
    ],
    ['with a critical extension', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), crit: ['exp'], exp: 1 })],
    ['with an unencoded payload', () => ({ alg: 'EdDSA', typ: 'at+jwt', kid: kid(), crit: ['b64'], b64: false })],
    ['as an ID token', () => ({ alg: 'EdDSA', typ: 'JWT', kid: kid() })],
    ['without a type', () => ({ alg: 'EdDSA', kid: kid() })],
  ])('%s is refused', async (_, header) => refused(signed(header(), claims(), own.privateKey)));

  it('by a key of another kind is refused', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    await refused(signed({ alg: 'RS256', typ: 'at+jwt', kid: kid() }, claims(), rsa, 'sha256'));
    await refused(signed({ alg: 'ES256', typ: 'at+jwt', kid: kid() }, claims(), ec, 'sha256'));
    await refused(signed({ alg: 'EdDSA', typ: 'at+jwt', kid: kid() }, claims(), rsa, 'sha256'));
  });

  it('with our public key as a shared secret is refused', async () => {
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
        await refused(
          `${input}.${createHmac(alg === 'HS256' ? 'sha256' : 'sha512', secret)
            .update(input)
            .digest('base64url')}`,
        );
      }
    }
  });

  it('by the seed that is made of our public key is refused', async () => {
    const jwk = await platformPublicKey(stack);
    const d = createHash('sha256').update(jwk.x!).digest('base64url');
    const guess = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x: jwk.x! }, format: 'jwk' });
    await refused(signed({ alg: 'EdDSA', typ: 'at+jwt', kid: kid() }, claims(), guess));
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
