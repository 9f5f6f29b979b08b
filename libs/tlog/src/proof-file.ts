import { base64Of, type Bytes } from '#platform';
import { FormatError, fromBase64, fromDecimal } from './text.js';
import { hashSize } from './tree.js';

/** A proof that can be stored and verified offline: c2sp.org/tlog-proof. */
export interface ProofFile {
  /** From 0: `seq` less one. */
  index: number;
  /** From leaf to root. */
  hashes: Bytes[];
  /** The signed note, as it was given. */
  checkpoint: string;
  /** Additional data, which is not signed. */
  extra?: Bytes;
}

const title = 'c2sp.org/tlog-proof@v1';
/** A tree of 2^53 leaves has no longer path. */
const maxHashes = 63;

export function formatProofFile({
  index,
  hashes,
  checkpoint,
  extra,
}: {
  index: number;
  hashes: readonly Uint8Array[];
  checkpoint: string;
  extra?: Uint8Array;
}): string {
  return [
    title,
    ...(extra ? [`extra ${base64Of(extra)}`] : []),
    `index ${index}`,
    ...hashes.map(base64Of),
    '',
    checkpoint,
  ].join('\n');
}

/** @throws FormatError */
export function parseProofFile(text: string): ProofFile {
  const gap = text.indexOf('\n\n');
  if (gap === -1) throw new FormatError('It is not a proof: there is no empty line before the checkpoint');
  const [first, ...lines] = text.slice(0, gap).split('\n');
  if (first !== title) throw new FormatError(`It is not a proof: the first line is not ${title}`);
  const extra = lines[0]?.startsWith('extra ')
    ? fromBase64(lines.shift()!.slice('extra '.length), 'The extra data of a proof')
    : undefined;
  const index = /^index (.*)$/.exec(lines.shift() ?? '')?.[1];
  if (index === undefined) throw new FormatError('It is not a proof: the index is missing');
  if (lines.length > maxHashes) throw new FormatError(`A proof has ${maxHashes} hashes at most`);
  return {
    index: fromDecimal(index, 'The index of a proof'),
    hashes: lines.map((line) => fromBase64(line, 'A hash of a proof', hashSize)),
    checkpoint: text.slice(gap + 2),
    ...(extra && { extra }),
  };
}
