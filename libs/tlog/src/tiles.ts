import { assertSize, type Subtree } from './subtrees.js';
import { FormatError, fromDecimal } from './text.js';

/**
 * Tiles: c2sp.org/tlog-tiles. A tile has up to 256 adjacent hashes of every eighth level of the tree.
 */
export interface Tile {
  level: number;
  index: number;
  /** How many hashes: 1 to 256. Below 256 it is a partial tile. */
  width: number;
}

export const tileWidth = 256;
const tileHeight = 8;
const maxLevel = 63;

/** Path of a tile, such as `tile/0/x001/234.p/17`. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${formatIndex(index)}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** Parses the path of a tile after `tile/`, such as `0/x001/234.p/17`. @throws FormatError */
export function parseTilePath(path: string): Tile {
  const [, level, index, partial] = /^(\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  if (level === undefined || index === undefined)
    throw new FormatError('It is not the path of a tile, such as 0/x001/234 or 0/x001/234.p/17');
  const tile = {
    level: fromDecimal(level, 'The level of a tile'),
    index: fromDecimal(index.replace(/[x/]/g, '').replace(/^0+(?=\d)/, ''), 'The index of a tile'),
    width: partial === undefined ? tileWidth : fromDecimal(partial, 'The width of a tile'),
  };
  if (tile.level > maxLevel) throw new FormatError(`The level of a tile is ${maxLevel} at most`);
  if (tile.width < 1 || (partial !== undefined && tile.width >= tileWidth))
    throw new FormatError('The width of a partial tile is 1 to 255');
  if (formatIndex(tile.index) !== index)
    throw new FormatError('The index of a tile is written in groups of three digits, with no group too many');
  return tile;
}

function formatIndex(index: number): string {
  assertSize(index, 'The index of a tile');
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  return [...groups.slice(0, -1).map((group) => `x${group}`), groups.at(-1)].join('/');
}

/** The subtrees whose hashes are in a tile. */
export function subtreesOfTile({ level, index, width }: Tile): Subtree[] {
  return Array.from({ length: width }, (_, i) => ({ level: level * tileHeight, index: index * tileWidth + i }));
}

/** Every tile of a tree: the full ones and the partial one of each level. */
export function* tilesOf(size: number): Generator<Tile> {
  assertSize(size, 'The size of a tree');
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth)) {
    for (let index = 0; index * tileWidth < hashes; index++)
      yield { level, index, width: Math.min(tileWidth, hashes - index * tileWidth) };
  }
}
