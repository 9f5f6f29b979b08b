import type { Maker } from '@holdfast/contracts';

/** Who is responsible for a row: null in one of before makers were stored; a removed person has no id. */
export interface MakerColumns {
  maker_type: Maker['type'] | null;
  maker_id: string | null;
  maker_name: string | null;
}

export function makerOfRow({ maker_type: type, maker_id: id, maker_name: name }: MakerColumns): Maker | undefined {
  return type === null ? undefined : { type, ...(id !== null && { id }), ...(name !== null && { name }) };
}

export function makerColumns({ type, id, name }: Maker): MakerColumns {
  return { maker_type: type, maker_id: id ?? null, maker_name: name ?? null };
}
