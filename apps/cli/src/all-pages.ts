import type { z } from 'zod';
import type { Contract, ReplyOf } from '@holdfast/contracts';
import type { OperatorSession } from './operator-session.js';

type ItemOf<C extends Contract> = ReplyOf<C> extends { items: (infer Item)[] } ? Item : never;
type FilterOf<C extends Contract> = Omit<z.input<C['request']> & object, 'limit' | 'after'>;

const limit = 200;

/** Every item of a list, page by page. */
export async function allPages<C extends Contract>(
  request: ReturnType<OperatorSession['requestsFor']>,
  contract: C,
  filter: FilterOf<C>,
): Promise<ItemOf<C>[]> {
  const all: ItemOf<C>[] = [];
  let after: unknown;
  do {
    const page = { ...filter, limit, ...(after !== undefined && { after }) } as z.input<C['request']>;
    const reply = (await request(contract, page)) as { items: ItemOf<C>[]; next?: unknown };
    all.push(...reply.items);
    after = reply.next;
  } while (after !== undefined);
  return all;
}
