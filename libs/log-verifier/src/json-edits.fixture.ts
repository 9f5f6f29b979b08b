import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { RandomSequence } from '@holdfast/testing';
import { parseUnambiguous } from './unambiguous-json.js';

const oddValues = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e400',
  '12345678901234567890',
  '""',
  '"x"',
  '"\\ud800"',
  '[]',
  '{}',
];

export const of = <T>(items: readonly T[], random: RandomSequence): T => items[random(items.length)]!;

/** The text of a JSON value in which the text of one of its objects, chosen at random, is edited. */
export function withEditedObject(text: string, random: RandomSequence, edit: (text: string) => string): string {
  const root = JSON.parse(text) as unknown;
  const objects: object[] = [];
  const collect = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) objects.push(value);
    Object.values(value).forEach(collect);
  };
  collect(root);
  const chosen = of(objects, random);
  const marker = 'the chosen object';
  return JSON.stringify(root, (_, value: unknown) => (value === chosen ? marker : value)).replace(
    JSON.stringify(marker),
    () => edit(JSON.stringify(chosen)),
  );
}

const namesIn = (object: string) => Object.keys(JSON.parse(object) as object);
const append = (object: string, member: string) => `${object.slice(0, -1)}${object === '{}' ? '' : ','}${member}}`;
const withMember = (object: string, name: string, value: string) => {
  const marker = 'the member';
  const text = JSON.stringify({ ...(JSON.parse(object) as object), [name]: marker });
  return text.replace(JSON.stringify(marker), () => value);
};

export const edits: Record<string, (object: string, random: RandomSequence) => string> = {
  'a member twice': (object, random) => {
    const name = namesIn(object)[0] ?? 'x';
    return append(append(object, `"y":1,"y":${random(2) + 1}`), `${JSON.stringify(name)}:1`);
  },
  'the same member twice': (object, random) => {
    const name = of([...namesIn(object), 'seq'], random);
    const value = JSON.stringify((JSON.parse(object) as Record<string, unknown>)[name] ?? 7);
    return append(append(object, `${JSON.stringify(name)}:${value}`), `${JSON.stringify(name)}:${value}`);
  },
  'an unknown member': (object, random) =>
    append(object, `"${of(['x', 'note', '__proto__', 'type'], random)}":"fraud"`),
  'a member without its value': (object, random) => {
    const name = of([...namesIn(object), 'x'], random);
    return JSON.stringify({ ...(JSON.parse(object) as object), [name]: undefined });
  },
  'a member of another form': (object, random) =>
    withMember(object, of([...namesIn(object), 'leaf'], random), of(oddValues, random)),
};

/** What a file says, however it is written: without what only makes lists read more, and with each mapping once. */
export function meaningOf(bytes: Buffer): string {
  return bytes.toString('latin1').split('\n').map(meaningOfLine).join('\n').trimEnd();
}

function meaningOfLine(latin1: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
    const { lastAt: _, lateMs: __, began: ___, ...line } = parseUnambiguous(text) as Record<string, unknown>;
    const { names, personal, found, ...rest } = line as Partial<ExportedAuditEntry>;
    return sorted({
      ...rest,
      ...(found && { found: { ...found, targets: found.targets.toSorted() } }),
      ...(names && names.length > 0 && { names: [...new Set(names.map(sorted))].sort() }),
      ...(personal && Object.keys(personal).length > 0 && { personal }),
    });
  } catch {
    return latin1;
  }
}

const sorted = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
