/** CBOR (RFC 8949) as authenticators use it: integers, bytes, text, arrays and maps, none longer than 65,535. */
export type Cbor = number | string | Buffer | Cbor[] | Map<number | string, Cbor>;

export function encodeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map((item) => encodeCbor(item))]);
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([key, member]) => [encodeCbor(key), encodeCbor(member)]),
  ]);
}

/** §3.1: the major type in the upper three bits, then the number in as few bytes as possible. */
function head(major: number, n: number): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n]);
  if (n < 256) return Buffer.from([(major << 5) | 24, n]);
  return Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
}
