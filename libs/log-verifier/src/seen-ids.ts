const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * A set of UUIDs in 8 bytes each. A Set of ten million strings takes a gigabyte, and one of seventeen million exceeds
 * its maximum size. It stores the last 64 bits of each UUID, of which at most two are not random: in one of a hundred
 * thousand logs of ten million entries, two different ids look the same.
 */
export class SeenIds {
  private slots = new Uint32Array(2 * 1024);
  private count = 0;

  /**
   * @returns whether the id is new
   * @throws Error when it is not a UUID
   */
  add(id: string): boolean {
    if (!uuid.test(id)) throw new Error('its id is not a UUID');
    // 0 marks an empty slot. No UUID is stored as 0, since its variant bits are not 0.
    const high = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
    const low = Number.parseInt(id.slice(28), 16);
    if (2 * ++this.count > this.slots.length / 2) this.grow();
    return this.put(high, low);
  }

  private put(high: number, low: number): boolean {
    const { slots } = this;
    const mask = slots.length / 2 - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      if (slots[2 * at] === 0 && slots[2 * at + 1] === 0) {
        slots[2 * at] = high;
        slots[2 * at + 1] = low;
        return true;
      }
      if (slots[2 * at] === high && slots[2 * at + 1] === low) return false;
    }
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Uint32Array(2 * before.length);
    for (let i = 0; i < before.length; i += 2)
      if (before[i] !== 0 || before[i + 1] !== 0) this.put(before[i]!, before[i + 1]!);
  }
}
