import { entryStream } from '../audit/entry-stream.js';
import { probeStream, streams } from './streams.js';

/**
 * The subject by which the user `deploy` checks that a stream receives messages: it matches the stream's subjects, and
 * no event has it. Nothing is stored under it.
 */
export function receptionSubject(stream: string): string {
  const subject = [...Object.values(streams), probeStream, entryStream].find(({ name }) => name === stream)
    ?.subjects[0];
  if (subject === undefined) throw new Error(`There is no stream ${stream}.`);
  return subject.replace(/[*>]$/, 'reception');
}
