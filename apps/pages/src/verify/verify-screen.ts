import type { Verdict } from '@holdfast/log-verifier';
import type { Screen } from '../screen/screen.ts';
import { wordsOf } from '../texts.ts';
import { verify } from '../texts/en/verify.ts';
import type { Outcome } from './verification.ts';

const words = wordsOf('verify', verify);

/** The result in words. `findings` are listed below the text, in the order of the log. */
export interface OutcomeScreen extends Pick<Screen<never>, 'tone' | 'heading' | 'body' | 'facts'> {
  findings: string[];
}

export function outcomeScreen(outcome: Outcome): OutcomeScreen {
  switch (outcome.kind) {
    case 'undecided':
      return { tone: 'stop', heading: words.undecided, body: [outcome.message, words.undecidedBody], findings: [] };
    case 'wrongEntry':
      return { tone: 'stop', heading: words.wrongEntry, body: [words.wrongEntryBody], findings: [] };
    case 'entry': {
      const { origin, seq, size, action, occurredAt, id } = outcome.entry;
      return {
        tone: 'good',
        heading: words.entry,
        body: [words.entryBody(origin)],
        facts: facts({
          [words.entryId]: id,
          [words.action]: action,
          [words.occurredAt]: occurredAt,
          [words.place]: words.placeOf(seq, size),
        }),
        findings: [],
      };
    }
    case 'log':
      return outcome.verdict.verified ? verified(outcome.verdict) : refuted(outcome.verdict);
  }
}

function verified({ origin, entries, newest, dropped, continues, unprovable, notes }: Verdict): OutcomeScreen {
  return {
    tone: 'good',
    heading: words.verified,
    body: [words.verifiedBody(entries), ...(continues.length === 0 ? [words.withoutCheckpoint] : [])],
    facts: facts({
      [words.log]: origin,
      [words.entries]: String(entries),
      [words.checkpoint]: newest && words.checkpointOf(newest.size, newest.root),
      [words.continues]: continues.join(', '),
      [words.dropped]: dropped > 0 ? words.droppedOf(dropped) : '',
      [words.unprovable]: unprovable > 0 ? String(unprovable) : '',
    }),
    findings: notes,
  };
}

function refuted({ origin, entries, findings, more, onlyUnprovable }: Verdict): OutcomeScreen {
  return {
    tone: 'stop',
    heading: onlyUnprovable ? words.onlyUnprovable : words.refuted,
    body: [onlyUnprovable ? words.onlyUnprovableBody : words.refutedBody],
    facts: facts({ [words.log]: origin, [words.entriesRead]: String(entries) }),
    findings: [...findings, ...(more > 0 ? [words.more(more)] : [])],
  };
}

function facts(values: Record<string, string | undefined>): { name: string; value: string }[] {
  return Object.entries(values).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}
