import { solveChallenge, type Challenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { PresenceChallenge } from '@holdfast/contracts';

/** The payload that the widget sends, as an object, so that a test can change it. */
export interface Solved {
  challenge: { parameters: Record<string, unknown> & { data: Record<string, unknown> }; signature: string };
  solution: { counter: number; derivedKey: string; time?: number };
}

export async function solve(challenge: PresenceChallenge): Promise<Solved> {
  const solution = await solveChallenge({ challenge: challenge as unknown as Challenge, deriveKey });
  return { challenge: challenge as unknown as Solved['challenge'], solution: solution! };
}

export function packed(solved: unknown): string {
  return Buffer.from(JSON.stringify(solved)).toString('base64');
}
