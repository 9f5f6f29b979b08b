import {
  makerRights,
  type Maker,
  type ReceiverScope,
  type RequestOf,
  type RoleOperation,
  type ServiceName,
} from '@holdfast/contracts';
import { systemContext, type Bus } from '@holdfast/messaging';

/** How long a reply counts for one maker: a burst of claims becomes four queries a second. */
const ttlMs = 250;

type Asked = RequestOf<typeof makerRights>;

/**
 * Whether a maker may still do what it needed for something that acts later without it. Directory is asked at the
 * moment of use, so a right that has ended is known within a second on every replica, however late its event is
 * (docs/adr/0074-what-was-prepared-ends-with-its-right.md).
 */
export class MakerRights {
  private readonly replies = new Map<string, { expiresAtMs: number; operations: Promise<ReadonlySet<string>> }>();

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
  ) {}

  /**
   * The operator, and a maker that nobody stored, have no rights that could end; a person who was removed has none.
   * @throws unavailable when directory does not reply: never a pass
   */
  async has(
    org: string,
    maker: Maker | undefined,
    ...needed: readonly (RoleOperation | ReceiverScope)[]
  ): Promise<boolean> {
    if (!maker || maker.type === 'operator') return true;
    if (maker.id === undefined) return false;
    const operations = await this.operationsOf({ org, maker: { type: maker.type, id: maker.id } });
    return needed.every((operation) => operations.has(operation));
  }

  private operationsOf(asked: Asked): Promise<ReadonlySet<string>> {
    const key = JSON.stringify([asked.org, asked.maker.type, asked.maker.id]);
    const now = performance.now();
    const known = this.replies.get(key);
    if (known && known.expiresAtMs > now) return known.operations;
    for (const [old, { expiresAtMs }] of this.replies) if (expiresAtMs <= now) this.replies.delete(old);
    const operations = this.query(asked);
    this.replies.set(key, { expiresAtMs: now + ttlMs, operations });
    operations.catch(() => this.replies.delete(key));
    return operations;
  }

  private async query(asked: Asked): Promise<ReadonlySet<string>> {
    return new Set((await this.bus.request(makerRights, asked, systemContext(this.service))).operations);
  }
}
