/** A clock that changes only when it is set or advanced. */
export class FakeClock {
  private time: number;

  constructor(start: Date | string = '2026-11-21T09:30:00.000Z') {
    this.time = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.time);
  }

  trust(): 'agreed' {
    return 'agreed';
  }

  set(time: Date | string): void {
    this.time = new Date(time).getTime();
  }

  advance(ms: number): void {
    this.time += ms;
  }
}
