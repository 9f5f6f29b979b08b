import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compactVerify, importJWK, type CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { proofAlgorithms, useProof, type AccessTokenClaims } from '@holdfast/contracts';
import { Bus, UncertainError } from '@holdfast/messaging';
import { checkPublicJwk, CLOCK, keysOf, unavailable, type CheckedJwk, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { DpopError } from '../edge/problems/problem.js';
import { contextOf } from '../edge/request-context.js';
import { headerValues, type PresentedToken } from './authorization-header.js';
import { DpopNonces, nonceLifetimeMs } from './dpop-nonces.js';

/** A client makes a proof for each request, right before it. One with a wrong clock gets a nonce. */
const maxAgeSeconds = 60;
const maxAheadSeconds = 10;
const maxLength = 8192;

const claimsSchema = z.object({
  jti: z.string().min(1).max(200),
  htm: z.string(),
  htu: z.string(),
  iat: z.number(),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  ath: z.string(),
  nonce: z.string().max(200).optional(),
});
type ProofClaims = z.infer<typeof claimsSchema>;

interface Proof {
  /** Of the key and the jti. */
  hash: string;
  nonce: string | undefined;
}

/** Proofs that the caller has the key to which its access token is bound (RFC 9449 §7). */
@Injectable()
export class DpopProofs {
  private readonly nonces: DpopNonces;
  private readonly keys = new LRUCache<string, CryptoKey | Uint8Array>({ max: 10_000 });
  private readonly proofs = new WeakMap<object, Proof>();

  constructor(
    @Inject(CONFIG)
    private readonly config: Pick<GatewayConfig, 'BASE_URL' | 'PAGE_TOKEN_KEY' | 'PAGE_TOKEN_KEY_PREVIOUS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: Bus,
  ) {
    this.nonces = new DpopNonces(keysOf(config.PAGE_TOKEN_KEY, config.PAGE_TOKEN_KEY_PREVIOUS));
  }

  /**
   * Checks that the scheme is that of the token, and the proof of a bound token.
   * @throws DpopError
   */
  async verify(request: FastifyRequest, presented: PresentedToken, claims: AccessTokenClaims): Promise<void> {
    const jkt = claims.cnf?.jkt;
    if (presented.scheme === 'bearer') {
      if (jkt === undefined) return;
      throw new DpopError('invalid_token', 'This token is bound to a key. Send it as "DPoP", with a proof of the key.');
    }
    if (jkt === undefined)
      throw new DpopError('invalid_token', 'This token is not bound to a key. Send it as "Bearer", without a proof.');
    const { key, payload } = await this.open(oneProof(request), jkt);
    this.checkClaims(request, presented.token, payload);
    this.proofs.set(request, { hash: hash('sha256', `${key.id} ${payload.jti}`, 'base64url'), nonce: payload.nonce });
  }

  /**
   * Accepts the proof of this request once, on all replicas, and gives the client a nonce for the next one. After the
   * rate limit of the app, which thereby limits how many proofs are stored. Without a reply from auth the request is
   * refused. @throws DpopError, unavailable
   */
  async useOnce(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const proof = this.proofs.get(request);
    if (!proof) return;
    const nowMs = this.clock.now().getTime();
    const next = this.nonces.current(nowMs);
    if (proof.nonce !== next) void reply.header('dpop-nonce', next);
    const seconds = proof.nonce === undefined ? maxAgeSeconds + maxAheadSeconds : nonceLifetimeMs / 1000;
    const { first } = await this.bus
      .request(useProof, { proof: proof.hash, seconds }, contextOf(request))
      .catch(asNotStarted);
    if (!first) throw invalid('The proof was used before. Make a new one, with another jti, for each request.');
  }

  /** The content of a proof that the key of the token has signed. */
  private async open(proof: string, jkt: string): Promise<{ key: CheckedJwk; payload: ProofClaims }> {
    const header = headerOf(proof);
    // Extensions change what is signed, and we know none (RFC 7515 §4.1.11, RFC 7797 §7).
    if (header.isExtended) throw invalid('The header of the proof must have neither crit nor b64.');
    if (header.typ !== 'dpop+jwt') throw invalid('The type of the proof must be dpop+jwt.');
    if (!proofAlgorithms.some((alg) => alg === header.alg))
      throw invalid(`The alg of the proof must be one of ${proofAlgorithms.join(', ')}.`);
    const key = checkPublicJwk(header.jwk);
    if ('issue' in key) throw invalid(`The jwk of the proof ${key.issue}.`);
    if (key.id !== `key_${jkt}`) throw new DpopError('invalid_token', 'The token is bound to another key.');
    let payload: unknown;
    try {
      const verified = await compactVerify(proof, await this.keyOf(key, header.alg));
      payload = JSON.parse(new TextDecoder().decode(verified.payload));
    } catch {
      throw invalid('The signature of the proof is wrong.');
    }
    const parsed = claimsSchema.safeParse(payload);
    if (parsed.success) return { key, payload: parsed.data };
    const missing = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
    throw invalid(`These claims of the proof are missing or malformed: ${missing.join(', ')}.`);
  }

  private checkClaims({ method, raw }: FastifyRequest, token: string, claims: ProofClaims): void {
    const { htm, htu, iat, exp = Infinity, nbf = 0, ath, nonce } = claims;
    if (htm !== method) throw invalid(`htm of the proof must be ${method}.`);
    // Never the Host header, which the client chooses.
    const url = addressOf(this.config.BASE_URL + (raw.url ?? '').split('?')[0]!);
    if (url === undefined || addressOf(htu) !== url)
      throw invalid(`htu of the proof must be ${url ?? 'this address'}.`);
    if (ath !== hash('sha256', token, 'base64url')) throw invalid('ath of the proof must be the hash of the token.');
    const nowMs = this.clock.now().getTime();
    if (exp <= nowMs / 1000) throw invalid('The proof has expired: exp is past.');
    if (nbf > nowMs / 1000 + maxAheadSeconds) throw invalid('The proof is not valid yet: nbf is in the future.');
    const ageSeconds = nowMs / 1000 - iat;
    const accepted =
      nonce === undefined
        ? ageSeconds <= maxAgeSeconds && ageSeconds >= -maxAheadSeconds
        : this.nonces.accepts(nonce, nowMs);
    if (accepted) return;
    const reason = nonce === undefined ? `iat of the proof is not within ${maxAgeSeconds} s` : 'The nonce has expired';
    throw new DpopError(
      'use_dpop_nonce',
      `${reason}. Make a new proof with the nonce of the header DPoP-Nonce.`,
      this.nonces.current(nowMs),
    );
  }

  private async keyOf({ key, id }: CheckedJwk, alg: string): Promise<CryptoKey | Uint8Array> {
    const name = `${id} ${alg}`;
    const known = this.keys.get(name);
    if (known) return known;
    const imported = await importJWK({ ...key, alg }, alg);
    this.keys.set(name, imported);
    return imported;
  }
}

/** The request itself has not begun, so nothing of it can have been changed. */
function asNotStarted(error: unknown): never {
  if (!(error instanceof UncertainError)) throw error;
  throw unavailable(error.detail ?? 'The proof could not be checked.', 1, error.origin);
}

function oneProof({ raw }: FastifyRequest): string {
  const proofs = headerValues(raw, 'dpop');
  if (proofs.length !== 1 || proofs[0]!.length > maxLength)
    throw invalid('Send one header DPoP with a proof for this request.');
  return proofs[0]!;
}

interface ProofHeader {
  typ?: unknown;
  alg: string;
  jwk: Record<string, unknown>;
  isExtended: boolean;
}

function headerOf(proof: string): ProofHeader {
  try {
    const header = JSON.parse(Buffer.from(proof.split('.')[0]!, 'base64url').toString('utf8')) as object;
    const { typ, alg, jwk, crit, b64 } = header as Record<'typ' | 'alg' | 'jwk' | 'crit' | 'b64', unknown>;
    return {
      typ,
      alg: String(alg),
      jwk: typeof jwk === 'object' && jwk !== null ? { ...jwk } : {},
      isExtended: crit !== undefined || b64 !== undefined,
    };
  } catch {
    throw invalid('The proof is not a JWT.');
  }
}

/** RFC 9449 §4.3: without query and fragment, normalized. */
function addressOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function invalid(detail: string): DpopError {
  return new DpopError('invalid_dpop_proof', detail);
}
