import { solveChallenge, type Challenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { callApi, type Client } from './client.ts';

/** The widget's payload as an object, so that a test can change it. */
export interface SolvedChallenge {
  challenge: {
    parameters: Record<string, unknown> & { data: Record<string, unknown>; expiresAt: number };
    signature: string;
  };
  solution: { counter: number; derivedKey: string; time?: number };
}

/** A presence proof for this app's offers, solved without the widget. In this stack challenges cost almost nothing. */
export async function presenceProof(client: Client): Promise<{ type: 'altcha'; payload: string }> {
  return { type: 'altcha', payload: encodePayload(await solvedChallenge(client)) };
}

export async function solvedChallenge({ stack, app }: Client): Promise<SolvedChallenge> {
  const { status, body, text } = await callApi<Challenge>(
    stack,
    'GET',
    `/o/${app.org}/api/presence/challenge?client_id=${app.clientId}`,
  );
  if (status !== 200) throw new Error(`no challenge for ${app.name}: ${status} ${text}`);
  const solution = await solveChallenge({ challenge: body, deriveKey });
  if (!solution) throw new Error('the challenge was not solved in time');
  return { challenge: body as unknown as SolvedChallenge['challenge'], solution };
}

export function encodePayload(solved: unknown): string {
  return Buffer.from(JSON.stringify(solved)).toString('base64');
}
